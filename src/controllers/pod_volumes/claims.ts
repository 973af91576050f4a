import { isControlledBy, objectKey, type PersistentVolumeClaim, type Pod } from "../../api/mod.ts";

/** A volume of a pod. */
export type PodVolume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

/** What {@link claimNamesOf} reads of a pod. */
export const CLAIM_FIELDS_OF_PODS = [
  "spec.volumes.name",
  "spec.volumes.persistentVolumeClaim.claimName",
  "spec.volumes.ephemeral",
];

/**
 * The name of the claim that is made for an ephemeral volume. Upstream: `k8s.io/component-helpers/storage/ephemeral`.
 */
export function ephemeralClaimName(pod: Pod, volume: Pick<PodVolume, "name">): string {
  return `${pod.metadata?.name}-${volume.name}`;
}

/**
 * The names of the claims in a pod's volumes, each once. The API server accepts any text as a name; invalid names are
 * left out.
 *
 * @example
 * ```ts
 * import { claimNamesOf } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "a" } }, { name: "tmp", ephemeral: {} }];
 * assertEquals(claimNamesOf({ metadata: { name: "p" }, spec: { containers: [], volumes } }), ["a", "p-tmp"]);
 * ```
 */
export function claimNamesOf(pod: Pod): string[] {
  const names = new Set<string>();
  for (const volume of pod.spec?.volumes ?? []) {
    const name = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral && ephemeralClaimName(pod, volume));
    if (name && !name.includes("/")) names.add(name);
  }
  return [...names];
}

/** Whether a claim was generated for this pod: another one may have the name. */
export function isClaimForPod(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return claim.metadata?.namespace === pod.metadata?.namespace && isControlledBy(claim, pod);
}

/** The message about a claim with the name of a pod's ephemeral volume that was not generated for it. */
export function foreignClaimText(claim: PersistentVolumeClaim, pod: Pod): string {
  return `PVC ${objectKey(claim)} was not created for pod ${objectKey(pod)} (pod is not owner)`;
}
