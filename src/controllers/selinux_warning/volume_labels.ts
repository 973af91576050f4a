import { type LabelParts, labelsConflict, partsOf } from "./labels.ts";

/** How a pod labels a volume. */
export interface Use {
  readonly label: string;
  readonly policy: string;
}

/** The property in which two uses differ. */
export type ConflictProperty = "SELinuxLabel" | "SELinuxChangePolicy";

/** A conflict between two pods that cannot use a volume on the same node, from one pod's side. */
export interface Conflict {
  readonly property: ConflictProperty;
  readonly pod: string;
  readonly value: string;
  readonly otherPod: string;
  readonly otherValue: string;
}

/** Pods that use a volume in the same way. */
interface Group extends Use {
  readonly parts: LabelParts;
  readonly pods: Set<string>;
}

interface UsedVolume {
  readonly driver: string;
  readonly groups: Map<string, Group>;
  /** Keys of groups by pods. */
  readonly groupOf: Map<string, string>;
}

/** How many conflicting pods are reported for a new use; each pod's events are limited anyway. */
const MOST_OTHERS = 100;
/** How many conflicts are listed. */
const MOST_LISTED = 5_000;

/**
 * How pods label the volumes that they use, and which pods cannot share a node.
 *
 * Contract:
 * 1. Two pods conflict if their policies differ, and if their labels do; a pod conflicts with none of its own uses.
 * 2. A new or changed use names its conflicts, each from both sides, with up to a hundred other pods; one that is as it
 *    was names none.
 * 3. All conflicts are listed once from each side, up to 5000; those of pods that are removed are gone.
 * 4. A volume that no pod uses is forgotten.
 * 5. Pods are found by the driver that their volumes had when they were first used.
 *
 * Pairs are not stored: ten thousand pods with different labels are ten thousand entries.
 * Upstream: `pkg/controller/volume/selinuxwarning/cache`, which keeps and reports every pair.
 */
export class VolumeLabels {
  readonly #volumes = new Map<string, UsedVolume>();
  readonly #byPod = new Map<string, Set<string>>();

  /** Volumes that are used, and pods that use some. */
  get size(): { readonly volumes: number; readonly pods: number } {
    return { volumes: this.#volumes.size, pods: this.#byPod.size };
  }

  /** @param volume Its unique name. @returns The conflicts that the use has brought. */
  use(volume: string, pod: string, { label, policy }: Use, driver: string): Conflict[] {
    const used = this.#volumes.get(volume) ?? { driver, groups: new Map<string, Group>(), groupOf: new Map() };
    const key = `${policy} ${label}`;
    if (used.groupOf.get(pod) === key) return [];
    this.#volumes.set(volume, used);
    leave(used, pod);
    const group = used.groups.get(key) ?? { label, policy, parts: partsOf(label), pods: new Set<string>() };
    used.groups.set(key, group);
    group.pods.add(pod);
    used.groupOf.set(pod, key);
    this.#byPod.set(pod, (this.#byPod.get(pod) ?? new Set()).add(volume));
    const found: Conflict[] = [];
    let others = 0;
    for (const other of used.groups.values()) {
      if (propertiesOf(group, other).length === 0) continue;
      for (const otherPod of other.pods) {
        if (others++ === MOST_OTHERS) return found;
        found.push(...conflictsBetween([pod, group], [otherPod, other]));
      }
    }
    return found;
  }

  remove(pod: string): void {
    for (const volume of this.#byPod.get(pod) ?? []) {
      const used = this.#volumes.get(volume);
      if (!used) continue;
      leave(used, pod);
      if (used.groupOf.size === 0) this.#volumes.delete(volume);
    }
    this.#byPod.delete(pod);
  }

  /** The pods whose volumes have this CSI driver. */
  *podsWith(driver: string): Iterable<string> {
    for (const used of this.#volumes.values()) if (used.driver === driver) yield* used.groupOf.keys();
  }

  conflicts(): Conflict[] {
    const found = new Map<string, Conflict>();
    for (const { groups } of this.#volumes.values()) {
      if (groups.size < 2) continue;
      for (const conflict of conflictsIn([...groups.values()])) {
        if (found.size >= MOST_LISTED) return [...found.values()];
        found.set(Object.values(conflict).join(" "), conflict);
      }
    }
    return [...found.values()];
  }
}

function leave({ groups, groupOf }: UsedVolume, pod: string): void {
  const key = groupOf.get(pod);
  if (key === undefined) return;
  groupOf.delete(pod);
  const group = groups.get(key);
  group?.pods.delete(pod);
  if (group?.pods.size === 0) groups.delete(key);
}

function propertiesOf(a: Group, b: Group): ConflictProperty[] {
  return [
    ...a.policy === b.policy ? [] : ["SELinuxChangePolicy" as const],
    ...labelsConflict(a.parts, b.parts) ? ["SELinuxLabel" as const] : [],
  ];
}

function conflictsBetween([pod, group]: [string, Group], [otherPod, other]: [string, Group]): Conflict[] {
  return propertiesOf(group, other).flatMap((property) => {
    const valueOf = ({ label, policy }: Use) => property === "SELinuxLabel" ? label : policy;
    const [value, otherValue] = [valueOf(group), valueOf(other)];
    return [
      { property, pod, value, otherPod, otherValue },
      { property, pod: otherPod, value: otherValue, otherPod: pod, otherValue: value },
    ];
  });
}

function* conflictsIn(groups: readonly Group[]): Iterable<Conflict> {
  for (const [i, group] of groups.entries()) {
    for (const other of groups.slice(i + 1)) {
      if (propertiesOf(group, other).length === 0) continue;
      for (const pod of group.pods) {
        for (const otherPod of other.pods) yield* conflictsBetween([pod, group], [otherPod, other]);
      }
    }
  }
}
