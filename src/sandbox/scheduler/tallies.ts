import type { PodInfo } from "./pod_info.ts";

/** Which pods to count. */
export interface TallyQuery {
  /** Equal for equivalent queries. */
  readonly key: string;
  counts(pod: PodInfo): boolean;
}

/** The number of counted pods by node name; nodes without any are absent. */
export type Tally = ReadonlyMap<string, number>;

interface Kept {
  readonly query: TallyQuery;
  readonly counts: Map<string, number>;
}

/** How many queries are kept up to date; a forgotten one is counted again. */
const KEPT = 256;

/**
 * Counts pods by node, and keeps the counts up to date as pods come and go, so that scheduling another one of a
 * thousand equal pods does not look at the thousand.
 *
 * Contract:
 * 1. A tally is what counting all pods anew would give.
 * 2. At most 256 tallies are kept; the one unused for longest goes first.
 */
export class Tallies {
  /** Least recently used first. */
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

  /** Records that a pod came to a node (`by` 1) or left it (`by` -1). */
  change(node: string, pod: PodInfo, by: 1 | -1): void {
    for (const { query, counts } of this.#kept.values()) if (query.counts(pod)) change(counts, node, by);
  }

  /** Forgets all counts, because something other than pods has changed. */
  clear(): void {
    this.#kept.clear();
  }

  #counted(query: TallyQuery): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [node, pod] of this.#all()) if (query.counts(pod)) change(counts, node, 1);
    return counts;
  }
}

/** Adds to a count and drops it at zero. */
export function change<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
