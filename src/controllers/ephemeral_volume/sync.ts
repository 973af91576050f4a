import { errorText } from "../../base/mod.ts";
import { type Pod } from "../../api/mod.ts";
import { ephemeralClaimName, foreignClaimText, isClaimForPod, type PodVolume } from "../pod_volumes/mod.ts";
import { byKey } from "../running/mod.ts";
import { createClaim } from "./actions.ts";
import type { EphemeralContext } from "./context.ts";

/**
 * Creates the claims of a pod's ephemeral volumes. If one fails, the following ones wait.
 * Upstream: `pkg/controller/volume/ephemeral/controller.go` (syncHandler).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried; the pod has an event about it.
 */
export async function syncPod(key: string, context: EphemeralContext): Promise<void> {
  const pod = byKey(context.pods, key);
  if (!pod || pod.metadata?.deletionTimestamp) return;
  for (const volume of pod.spec?.volumes ?? []) {
    try {
      await ensureClaim(pod, volume, context);
    } catch (error) {
      context.recorder.event(pod, "Warning", "FailedBinding", `ephemeral volume ${volume.name}: ${errorText(error)}`);
      throw new Error(`pod ${key}, ephemeral volume ${volume.name}: ${errorText(error)}`, { cause: error });
    }
  }
}

async function ensureClaim(pod: Pod, volume: PodVolume, context: EphemeralContext): Promise<void> {
  if (!volume.ephemeral) return;
  const claim = context.claims.get(pod.metadata?.namespace, ephemeralClaimName(pod, volume));
  if (!claim) return await createClaim(pod, volume, context);
  if (!isClaimForPod(claim, pod)) throw new Error(foreignClaimText(claim, pod));
}
