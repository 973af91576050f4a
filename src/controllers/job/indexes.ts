interface Interval {
  readonly first: number;
  readonly last: number;
}

/**
 * A set of completion indexes in the format of statuses: `1,3-5,7`.
 *
 * Contract:
 * 1. The text is sorted; a run of two is `a,b`, a longer one `a-c`.
 * 2. Reading stops at the first interval that begins at or beyond `completions`, cuts those that reach beyond it, joins
 *    neighbours, and leaves out what cannot be understood.
 * 3. A set never changes.
 *
 * Upstream: `pkg/controller/job/indexed_job_utils.go` (orderedIntervals).
 *
 * @example
 * ```ts
 * import { Indexes } from "./indexes.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const done = Indexes.parse("1,3-5", 10).with([6, 2]);
 * assertEquals([String(done), done.size, done.has(4)], ["1-6", 6, true]);
 * ```
 */
export class Indexes {
  static readonly NONE: Indexes = new Indexes([]);

  readonly #intervals: readonly Interval[];
  readonly #size: number;

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
    this.#size = intervals.reduce((total, { first, last }) => total + last - first + 1, 0);
  }

  /** The indexes below `completions` in `text`. */
  static parse(text: string | undefined, completions: number): Indexes {
    if (!text) return Indexes.NONE;
    const intervals: Interval[] = [];
    for (const piece of text.split(",")) {
      const [from, to] = piece.split("-");
      const first = parseInteger(from);
      if (first === undefined) continue;
      if (first >= completions) break;
      const last = to === undefined ? first : parseInteger(to);
      if (last === undefined) continue;
      const previous = intervals.at(-1);
      const end = Math.min(last, completions - 1);
      if (previous?.last === first - 1) intervals[intervals.length - 1] = { first: previous.first, last: end };
      else intervals.push({ first, last: end });
    }
    return new Indexes(intervals);
  }

  /** How many indexes there are. */
  get size(): number {
    return this.#size;
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#intervals[middle].last >= index) high = middle;
      else low = middle + 1;
    }
    return low < this.#intervals.length && this.#intervals[low].first <= index;
  }

  /** The union with `indexes`, which may be in any order. */
  with(indexes: Iterable<number>): Indexes {
    const added = [...indexes].sort((a, b) => a - b).map((index) => ({ first: index, last: index }));
    return added.length === 0 ? this : new Indexes(merge(this.#intervals, added));
  }

  union(others: Indexes): Indexes {
    return new Indexes(merge(this.#intervals, others.#intervals));
  }

  /** How many indexes are in both. */
  overlap(others: Indexes): number {
    let common = 0;
    let [i, j] = [0, 0];
    while (i < this.#intervals.length && j < others.#intervals.length) {
      const [a, b] = [this.#intervals[i], others.#intervals[j]];
      common += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
      if (a.last <= b.last) i++;
      if (b.last <= a.last) j++;
    }
    return common;
  }

  /** The lowest `count` indexes below `completions` that are not in the set. */
  firstMissing(count: number, completions: number): number[] {
    const missing: number[] = [];
    let candidate = 0;
    for (const { first, last } of [...this.#intervals, { first: completions, last: completions }]) {
      for (; candidate < Math.min(first, completions) && missing.length < count; candidate++) missing.push(candidate);
      candidate = Math.max(candidate, last + 1);
    }
    return missing;
  }

  toString(): string {
    return this.#intervals
      .map(({ first, last }) => first === last ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`)
      .join(",");
  }
}

function merge(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const merged: { first: number; last: number }[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const next = j >= b.length || (i < a.length && a[i].first < b[j].first) ? a[i++] : b[j++];
    const previous = merged.at(-1);
    if (!previous || next.first > previous.last + 1) merged.push({ ...next });
    else if (next.last > previous.last) previous.last = next.last;
  }
  return merged;
}

/** The integer in `text` as Go's `strconv.Atoi` reads it; `undefined` if there is none. */
export function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}
