import type { Pod } from "../../api/mod.ts";
import { labelOf } from "./labels.ts";

/** What {@link labelsOfMounts} reads of pods. */
const OF_CONTAINERS = ["volumeMounts.name", "securityContext.seLinuxOptions"];

/** The parts of pods that are read, besides volumes. */
export const READ_OF_CONTAINERS = [
  "spec.securityContext.seLinuxOptions",
  "spec.securityContext.seLinuxChangePolicy",
  ...["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    OF_CONTAINERS.map((field) => `spec.${list}.${field}`)
  ),
];

/**
 * The labels that containers set for the volumes that they mount, by volume name; empty if no options are set.
 * Upstream: `pkg/volume/util` (GetPodVolumeNames).
 */
export function labelsOfMounts({ spec }: Pod): Map<string, Set<string>> {
  const mounts = new Map<string, Set<string>>();
  const lists = [spec?.initContainers, spec?.containers, spec?.ephemeralContainers];
  for (const { volumeMounts, securityContext } of lists.flatMap((list) => list ?? [])) {
    const options = securityContext?.seLinuxOptions ?? spec?.securityContext?.seLinuxOptions;
    for (const { name } of volumeMounts ?? []) {
      const labels = mounts.get(name) ?? new Set<string>();
      mounts.set(name, labels);
      if (options) labels.add(labelOf(options));
    }
  }
  return mounts;
}
