import {
  matchesNodeSelector,
  type PersistentVolume,
  type PersistentVolumeClaim,
  Quantity,
  selectorOf,
} from "../../api/mod.ts";
import { sortInSteps } from "../../base/mod.ts";
import type { VolumeView } from "./cluster_state.ts";
import type { NodeInfo } from "./node_info.ts";
import { selectorOrNothing } from "./pod_info.ts";

/** Volumes by the names of their claims. */
export type StaticVolumes = ReadonlyMap<string, PersistentVolume>;

interface Sized<T> {
  readonly item: T;
  readonly size: Quantity;
}

/** A claim, and which volumes of its class it may have. */
interface Wanted extends Sized<PersistentVolumeClaim> {
  fits(volume: Sized<PersistentVolume>): boolean;
}

/** The volumes of a class, looked at for one node as far as was necessary. */
interface Pool {
  readonly free: readonly Sized<PersistentVolume>[];
  /** Of the volumes before this one, those that the node reaches and no claim has taken are in `left`. */
  next: number;
  readonly left: Sized<PersistentVolume>[];
}

/** Volumes in one step, if it is only looked whether a node reaches them. */
const STEP = 128;
const NONE: ReadonlySet<PersistentVolumeClaim> = new Set();

/**
 * Finds volumes made beforehand for a pod's claims, on one node after the other. The smallest claim comes first. It
 * gets a volume that names it, else the smallest that will do; no volume is for two. Upstream:
 * `k8s.io/component-helpers/storage/volume` (FindMatchingVolume).
 */
export class StaticMatch {
  readonly #claims: readonly PersistentVolumeClaim[];
  readonly #volumes: VolumeView;
  #wanted: readonly Wanted[] | undefined;
  readonly #free = new Map<string, readonly Sized<PersistentVolume>[]>();

  constructor(claims: readonly PersistentVolumeClaim[], volumes: VolumeView) {
    this.#claims = claims;
    this.#volumes = volumes;
  }

  /** Works in steps. @returns `undefined` as soon as a needy claim gets none. */
  *on(
    node: NodeInfo,
    needy: ReadonlySet<PersistentVolumeClaim> = NONE,
  ): Generator<void, StaticVolumes | undefined> {
    const taken = new Map<string, PersistentVolume>();
    const pools = new Map<string, Pool>();
    for (const wanted of this.#wanted ??= yield* this.#sorted()) {
      const { metadata, spec } = wanted.item;
      const volume = this.#naming(wanted, node) ??
        (yield* take(wanted, yield* this.#pool(spec?.storageClassName ?? "", pools), node));
      if (volume) taken.set(metadata?.name ?? "", volume);
      else if (needy.has(wanted.item)) return undefined;
      yield;
    }
    return taken;
  }

  *#sorted(): Generator<void, Wanted[]> {
    const wanted: Wanted[] = [];
    for (const claim of this.#claims) {
      wanted.push(wantedBy(claim));
      yield;
    }
    return yield* sortInSteps(wanted, bySize);
  }

  /** The smallest volume that names a claim. */
  #naming({ item: { metadata, spec }, fits }: Wanted, node: NodeInfo): PersistentVolume | undefined {
    const [smallest] = this.#volumes.volumesNaming(metadata?.namespace ?? "", metadata?.name ?? "")
      .filter(({ spec: { claimRef, storageClassName = "" } = {} }) =>
        (!claimRef?.uid || claimRef.uid === metadata?.uid) && storageClassName === (spec?.storageClassName ?? "")
      )
      .map(sized).filter((volume) => fits(volume) && isReachable(volume.item, node)).sort(bySize);
    return smallest?.item;
  }

  *#pool(storageClass: string, pools: Map<string, Pool>): Generator<void, Pool> {
    let free = this.#free.get(storageClass);
    free ??= yield* sortInSteps(this.#volumes.freeVolumes(storageClass).map(sized), bySize);
    this.#free.set(storageClass, free);
    const pool = pools.get(storageClass) ?? { free, next: 0, left: [] };
    pools.set(storageClass, pool);
    return pool;
  }
}

/** Takes the smallest volume that a claim may have, and that the node reaches. */
function* take({ fits }: Wanted, pool: Pool, node: NodeInfo): Generator<void, PersistentVolume | undefined> {
  const { free, left } = pool;
  for (let i = 0; i < left.length || pool.next < free.length;) {
    if (i < left.length) {
      if (fits(left[i])) return left.splice(i, 1)[0].item;
      i++;
      yield;
    } else {
      const volume = free[pool.next++];
      if (isReachable(volume.item, node)) left.push(volume);
      if (pool.next % STEP === 0) yield;
    }
  }
  return undefined;
}

function wantedBy(claim: PersistentVolumeClaim): Wanted {
  const { accessModes = [], volumeMode = "Filesystem", selector, resources } = claim.spec ?? {};
  const size = Quantity.parse(resources?.requests?.storage);
  const isSelected = selector && selectorOrNothing(() => selectorOf(selector));
  const fits = ({ item: { metadata, spec }, size: capacity }: Sized<PersistentVolume>) =>
    !metadata?.deletionTimestamp && (spec?.volumeMode ?? "Filesystem") === volumeMode && capacity.compare(size) >= 0 &&
    accessModes.every((mode) => spec?.accessModes?.includes(mode)) &&
    (!isSelected || isSelected.matches(metadata?.labels));
  return { item: claim, size, fits };
}

function sized(volume: PersistentVolume): Sized<PersistentVolume> {
  return { item: volume, size: Quantity.parse(volume.spec?.capacity?.storage) };
}

function bySize({ size: a }: Sized<unknown>, { size: b }: Sized<unknown>): number {
  return a.compare(b);
}

export function isReachable({ spec }: PersistentVolume, { node }: NodeInfo): boolean {
  const required = spec?.nodeAffinity?.required;
  return !required || (node !== undefined && matchesNodeSelector(required, node));
}
