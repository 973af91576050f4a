import type { PodInfo } from "./pod_info.ts";

/** Which pods are counted. */
export interface TallyQuery {
  /** The same for queries that count the same. */
  readonly key: string;
  counts(pod: PodInfo): boolean;
}

/** How many of the pods that count are on each node, by the node's name; nodes without one are absent. */
export type Tally = ReadonlyMap<string, number>;

interface Kept {
  readonly query: TallyQuery;
  readonly counts: Map<string, number>;
}

/** Distinct queries that are kept up to date; one that was forgotten is counted anew. */
const KEPT = 256;

/**
 * Counts of pods by node, kept up to date as pods come and go, so that scheduling the next pod of a thousand that are alike does
 * not look at the thousand.
 *
 * Contract:
 * 1. A tally is what counting all pods anew would give.
 * 2. At most 256 tallies are kept; the one unused for longest goes first.
 */
export class Tallies {
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept>();
  readonly #all: () => Iterable<readonly [node: string, pod: PodInfo]>;

  /** @param all Every pod with its node. */
  constructor(all: () => Iterable<readonly [node: string, pod: PodInfo]>) {
    this.#all = all;
  }

  of(query: TallyQuery): Tally {
    const kept = this.#kept.get(query.key) ?? { query, counts: this.#counted(query) };
    this.#kept.delete(query.key);
    this.#kept.set(query.key, kept);
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return kept.counts;
  }

  /** A pod came to a node (`by` 1) or went (`by` -1). */
  change(node: string, pod: PodInfo, by: 1 | -1): void {
    for (const { query, counts } of this.#kept.values()) if (query.counts(pod)) change(counts, node, by);
  }

  /** Forgets all: what the queries look at besides pods has changed. */
  clear(): void {
    this.#kept.clear();
  }

  #counted(query: TallyQuery): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [node, pod] of this.#all()) if (query.counts(pod)) change(counts, node, 1);
    return counts;
  }
}

/** Adds to a count, and forgets it at zero. */
export function change<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
