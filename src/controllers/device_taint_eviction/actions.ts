import { type Condition, DEVICETAINTRULES, PODS, splitKey } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { markAndDelete } from "../evictions/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { DeviceEvictionContext } from "./context.ts";
import type { Eviction } from "./decision.ts";
import type { Rule } from "./evicting_rules.ts";

export const NAME = "device-taint-eviction-controller";

const EVICTED = {
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
  namesGeneration: false,
};

/** A pod, and no other of its name. */
interface PodIdentity {
  readonly key: string;
  readonly uid: string;
}

type Acting = Pick<DeviceEvictionContext, "world" | "client" | "recorder" | "metrics">;

/**
 * Says of a pod that it is to end, and deletes it.
 *
 * @returns Whether the pod ends now: one that is gone already does not count.
 * @throws {StatusError} If a request failed.
 */
export async function evictPod({ key, uid }: PodIdentity, { atMs }: Eviction, context: Acting): Promise<boolean> {
  const { world: { clock, log }, client, metrics } = context;
  try {
    const pod = await client.get(PODS, splitKey(key));
    if (pod.metadata?.uid !== uid) return false;
    if (!pod.metadata.deletionTimestamp) {
      podEvent({ key, uid }, "Marking for deletion", context);
      await markAndDelete(pod, EVICTED, { clock, client });
    }
  } catch (error) {
    if (serverSays(error, isNotFound)) return false;
    throw error;
  }
  log.info("Evicted pod from its device", { pod: key });
  metrics.deleted(clock.wallMs() - atMs);
  return true;
}

/** Tells that a pod's eviction was called off. */
export function tellCancelled(pod: PodIdentity, context: Acting): void {
  podEvent(pod, "Cancelling deletion", context);
}

function podEvent({ key, uid }: PodIdentity, message: string, { recorder }: Acting): void {
  const reference = { apiVersion: "v1", kind: "Pod", ...splitKey(key), uid };
  recorder.event(reference, "Normal", "DeviceTaintManagerEviction", message);
}

/** Says how far a rule's evictions have come, of exactly this rule. */
export async function applyCondition(
  { metadata }: Rule,
  condition: Condition,
  { client }: Pick<DeviceEvictionContext, "client">,
): Promise<void> {
  const owned = {
    metadata: { name: metadata?.name, uid: metadata?.uid },
    status: { conditions: [condition] },
  };
  const options = { fieldManager: NAME, force: true, subresource: "status" };
  // Exactly what is to be owned, which is less than a rule has to have.
  await client.apply(DEVICETAINTRULES, owned as unknown as Rule, options);
}
