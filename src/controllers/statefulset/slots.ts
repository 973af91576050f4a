import type { Pod, StatefulSet } from "../../api/mod.ts";
import { ordinalOf, podName, revisionOfPod } from "./identity.ts";
import { newPod, type VersionedTemplate } from "./new_pod.ts";
import { isInRange, isOrdered, replicasOf, startOrdinal } from "./ordinals.ts";

/** A set may ask for two billion pods; what is beyond these is seen when they are there. */
const MOST_MISSING = 10_000;

/** The templates of the revision that was rolled out last, and of the one that is rolled out. */
export interface Templates {
  readonly current: VersionedTemplate;
  readonly update: VersionedTemplate;
}

/** The place of one pod that the set wants: with the pod that is there, or the making of one. */
export class Slot {
  readonly ordinal: number;
  readonly name: string;
  /** The pod as the cache has it; `undefined` if there is none yet. */
  readonly found: Pod | undefined;
  readonly #set: StatefulSet;
  readonly #template: VersionedTemplate;
  #made: Pod | undefined;

  constructor(set: StatefulSet, ordinal: number, { found, template }: { found?: Pod; template: VersionedTemplate }) {
    this.ordinal = ordinal;
    this.name = podName(set, ordinal);
    // A pod without a phase is not known to any server.
    this.found = found?.status?.phase ? found : undefined;
    this.#set = set;
    this.#template = template;
  }

  /** The pod that is there, or the one to be created. */
  get pod(): Pod {
    return this.found ?? (this.#made ??= newPod(this.#set, this.ordinal, this.#template));
  }

  /** The revision that its pod is of, or will be of. */
  get revision(): string {
    return this.found ? revisionOfPod(this.found) : this.#template.revision;
  }
}

/** Where the set's pods belong. */
export interface Placement {
  /** One for each pod that is wanted, in order; of those that are missing only as many as one sync can come to. */
  readonly slots: readonly Slot[];
  /** Pods that are not wanted, the highest number first. */
  readonly condemned: readonly Pod[];
}

/** Puts pods in their places; those without a number are nobody's. */
export function placePods(set: StatefulSet, pods: readonly Pod[], templates: Templates): Placement {
  const wanted = new Map<number, Pod>();
  const condemned: Pod[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(pod);
    if (isInRange(set, ordinal)) wanted.set(ordinal, pod);
    else if (ordinal >= 0) condemned.push(pod);
  }
  const slots = ordinalsToFill(set, wanted).map((ordinal) => {
    const template = keepsCurrent(set, ordinal) ? templates.current : templates.update;
    return new Slot(set, ordinal, { found: wanted.get(ordinal), template });
  });
  return { slots, condemned: condemned.sort((a, b) => ordinalOf(b) - ordinalOf(a)) };
}

/** The numbers of the pods that are there, and of as many missing ones as one sync can come to, in order. */
function ordinalsToFill(set: StatefulSet, found: ReadonlyMap<number, Pod>): number[] {
  const most = isOrdered(set) ? 1 : MOST_MISSING;
  const [start, end] = [startOrdinal(set), startOrdinal(set) + replicasOf(set)];
  const ordinals: number[] = [];
  let missing = 0;
  let next = start;
  for (; next < end && missing < most; next++) {
    ordinals.push(next);
    if (!found.has(next)) missing++;
  }
  const others = [...found.keys()].filter((ordinal) => ordinal >= next).sort((a, b) => a - b);
  return [...ordinals, ...others];
}

/** Whether a missing pod is made as it was: below the partition, or (in old objects) where the update has not come yet. */
function keepsCurrent(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (rollingUpdate) return ordinal < startOrdinal(set) + (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && ordinal < startOrdinal(set) + (set.status?.currentReplicas ?? 0);
}
