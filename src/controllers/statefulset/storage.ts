import type { PersistentVolumeClaim, Pod, StatefulSet, Volume } from "../../api/mod.ts";
import { ordinalOf } from "./identity.ts";

/** The claim that a pod of the set gets from a template. */
export interface PodClaim {
  readonly name: string;
  /** The name of its volume in the pod, which is the template's. */
  readonly volume: string;
  readonly template: PersistentVolumeClaim;
}

/** The claims of the set's pod with this ordinal, in the order of their templates. */
export function claimsOf(set: StatefulSet, ordinal: number): PodClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => {
    const volume = template.metadata?.name ?? "";
    return { name: `${volume}-${set.metadata?.name}-${ordinal}`, volume, template };
  });
}

/** The claim to create. Upstream: getPersistentVolumeClaims of `pkg/controller/statefulset`. */
export function newClaim(set: StatefulSet, { name, template }: PodClaim): PersistentVolumeClaim {
  const labels = { ...template.metadata?.labels, ...set.spec?.selector.matchLabels };
  return { ...template, metadata: { ...template.metadata, name, namespace: set.metadata?.namespace, labels } };
}

/** Whether the pod's volumes refer to its claims. */
export function storageMatches(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod);
  if (ordinal < 0) return false;
  const claimed = new Map(pod.spec?.volumes?.map((volume) => [volume.name, volume.persistentVolumeClaim?.claimName]));
  return claimsOf(set, ordinal).every(({ name, volume }) => claimed.get(volume) === name);
}

/** The pod with its claims as volumes, replacing those of the same names. Upstream's order is random. */
export function withStorage(set: StatefulSet, pod: Pod): Pod {
  const claims = claimsOf(set, ordinalOf(pod));
  if (claims.length === 0) return pod;
  const names = new Set(claims.map(({ volume }) => volume));
  const volumes: Volume[] = [
    ...claims.map(({ name, volume }) => ({ name: volume, persistentVolumeClaim: { claimName: name } })),
    ...(pod.spec?.volumes ?? []).filter(({ name }) => !names.has(name)),
  ];
  return { ...pod, spec: { ...pod.spec!, volumes } };
}
