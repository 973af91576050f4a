import { newControllerRef, type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS, type Pod, PODS } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { ephemeralClaimName, type PodVolume } from "../pod_volumes/mod.ts";
import type { EphemeralContext } from "./context.ts";

/**
 * Creates the claim of an ephemeral volume.
 *
 * @throws {Error} `create PVC ...`, also if one of that name exists that the cache does not show yet.
 */
export async function createClaim(
  pod: Pod,
  volume: PodVolume,
  { client, metrics }: Pick<EphemeralContext, "client" | "metrics">,
): Promise<void> {
  const claim = newClaim(pod, volume);
  metrics.creates.inc();
  try {
    await client.create(PERSISTENTVOLUMECLAIMS, claim);
  } catch (error) {
    metrics.failures.inc();
    throw new Error(`create PVC ${claim.metadata?.name}: ${errorText(error)}`, { cause: error });
  }
}

/** Only labels and annotations of the template's metadata are used. */
function newClaim(pod: Pod, volume: PodVolume): PersistentVolumeClaim {
  const { metadata, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
  return {
    metadata: {
      namespace: pod.metadata?.namespace,
      name: ephemeralClaimName(pod, volume),
      labels: metadata?.labels,
      annotations: metadata?.annotations,
      ownerReferences: [newControllerRef(pod, PODS)],
    },
    spec,
  };
}
