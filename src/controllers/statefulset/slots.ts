import type { Pod, StatefulSet } from "../../api/mod.ts";
import { ordinalOf, podName, revisionOfPod } from "./identity.ts";
import { newPod, type VersionedTemplate } from "./new_pod.ts";
import { isInRange, isOrdered, replicasOf, startOrdinal } from "./ordinals.ts";

/** A set may ask for two billion pods; the rest is planned once these exist. */
const MOST_MISSING = 10_000;

/** The templates of the revision rolled out last, and of the one being rolled out. */
export interface Templates {
  readonly current: VersionedTemplate;
  readonly update: VersionedTemplate;
}

/** The slot of one pod that the set wants: it holds the existing pod, or the one to create. */
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
    // A pod without a phase exists on no server.
    this.found = found?.status?.phase ? found : undefined;
    this.#set = set;
    this.#template = template;
  }

  /** The existing pod, or the one to create. */
  get pod(): Pod {
    return this.found ?? (this.#made ??= newPod(this.#set, this.ordinal, this.#template));
  }

  /** The revision that its pod has, or will have. */
  get revision(): string {
    return this.found ? revisionOfPod(this.found) : this.#template.revision;
  }
}

/** Which pods fill the set's slots, and which are surplus. */
export interface Placement {
  /** One for each pod that is wanted, in order; only as many missing ones as a single sync can get to. */
  readonly slots: readonly Slot[];
  /** Pods that are not wanted, highest ordinal first. */
  readonly condemned: readonly Pod[];
}

/** Assigns pods to their slots; those without an ordinal belong to none. */
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

/** The ordinals of the existing pods, and of as many missing ones as a single sync can get to, in order. */
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

/**
 * Whether a missing pod is recreated as it was: below the partition, or (in old objects) not yet reached by the update.
 */
function keepsCurrent(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (rollingUpdate) return ordinal < startOrdinal(set) + (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && ordinal < startOrdinal(set) + (set.status?.currentReplicas ?? 0);
}
