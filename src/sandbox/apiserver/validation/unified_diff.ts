/** Lines of context around a change. */
const CONTEXT = 3;
/** From this many lines on, lines that occur often are no anchors. */
const POPULARITY_FROM = 200;

/** `size` lines that are the same at `a` and at `b`. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** A stretch of lines: equal, or replaced (with nothing, or nothing with it). */
interface Stretch {
  readonly isEqual: boolean;
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

/**
 * What leads from `before` to `after`, as `diff -u` writes it without the names of files.
 *
 * The same stretches are found as by Python's difflib, whose Go port upstream uses for its messages, so that they are worded alike.
 *
 * @example
 * ```ts
 * import { unifiedDiff } from "./unified_diff.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(unifiedDiff("a\nb", "a\nc"), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
 * ```
 */
export function unifiedDiff(before: string, after: string): string {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const out: string[] = [];
  for (const group of grouped(stretches(a, b))) {
    const [first, last] = [group[0], group[group.length - 1]];
    out.push(`@@ -${range(first.a[0], last.a[1])} +${range(first.b[0], last.b[1])} @@`);
    for (const stretch of group) {
      if (stretch.isEqual) out.push(...a.slice(...stretch.a).map((line) => ` ${line}`));
      else {
        out.push(...a.slice(...stretch.a).map((line) => `-${line}`));
        out.push(...b.slice(...stretch.b).map((line) => `+${line}`));
      }
    }
  }
  return out.map((line) => `${line}\n`).join("");
}

function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

/** Where each line of `b` occurs, without those that occur too often to mean anything. */
function indexLines(b: readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [i, line] of b.entries()) {
    const places = index.get(line);
    if (places) places.push(i);
    else index.set(line, [i]);
  }
  if (b.length < POPULARITY_FROM) return index;
  const most = Math.floor(b.length / 100) + 1;
  for (const [line, places] of index) if (places.length > most) index.delete(line);
  return index;
}

interface Bounds {
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

function longestMatch(
  { a, b, index }: { a: readonly string[]; b: readonly string[]; index: ReadonlyMap<string, number[]> },
  { a: [aStart, aEnd], b: [bStart, bEnd] }: Bounds,
): Match {
  let best = { a: aStart, b: bStart, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aStart; i < aEnd; i++) {
    const next = new Map<number, number>();
    for (const j of index.get(a[i]) ?? []) {
      if (j < bStart) continue;
      if (j >= bEnd) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: i, b: j, size } = best;
  while (i > aStart && j > bStart && a[i - 1] === b[j - 1]) [i, j, size] = [i - 1, j - 1, size + 1];
  while (i + size < aEnd && j + size < bEnd && a[i + size] === b[j + size]) size++;
  return { a: i, b: j, size };
}

function matches(a: readonly string[], b: readonly string[]): Match[] {
  const lines = { a, b, index: indexLines(b) };
  const found: Match[] = [];
  const search = (bounds: Bounds) => {
    const match = longestMatch(lines, bounds);
    if (match.size === 0) return;
    const [aEnd, bEnd] = [match.a + match.size, match.b + match.size];
    if (bounds.a[0] < match.a && bounds.b[0] < match.b) {
      search({ a: [bounds.a[0], match.a], b: [bounds.b[0], match.b] });
    }
    found.push(match);
    if (aEnd < bounds.a[1] && bEnd < bounds.b[1]) search({ a: [aEnd, bounds.a[1]], b: [bEnd, bounds.b[1]] });
  };
  search({ a: [0, a.length], b: [0, b.length] });
  return [...found, { a: a.length, b: b.length, size: 0 }];
}

function stretches(a: readonly string[], b: readonly string[]): Stretch[] {
  const out: Stretch[] = [];
  let [i, j] = [0, 0];
  for (const { a: aStart, b: bStart, size } of matches(a, b)) {
    if (i < aStart || j < bStart) out.push({ isEqual: false, a: [i, aStart], b: [j, bStart] });
    [i, j] = [aStart + size, bStart + size];
    const last = out.at(-1);
    if (size === 0) continue;
    if (last?.isEqual) out[out.length - 1] = { isEqual: true, a: [last.a[0], i], b: [last.b[0], j] };
    else out.push({ isEqual: true, a: [aStart, i], b: [bStart, j] });
  }
  return out;
}

/** Changes with their context; those that lie close together belong to one group. */
function grouped(all: readonly Stretch[]): Stretch[][] {
  const groups: Stretch[][] = [];
  let group: Stretch[] = [];
  for (const [at, { isEqual, a, b }] of all.entries()) {
    if (!isEqual) {
      group.push(all[at]);
      continue;
    }
    const [isFirst, isLast] = [at === 0, at === all.length - 1];
    const length = a[1] - a[0];
    const head: Stretch = {
      isEqual,
      a: [a[0], Math.min(a[1], a[0] + CONTEXT)],
      b: [b[0], Math.min(b[1], b[0] + CONTEXT)],
    };
    const tail: Stretch = {
      isEqual,
      a: [Math.max(a[0], a[1] - CONTEXT), a[1]],
      b: [Math.max(b[0], b[1] - CONTEXT), b[1]],
    };
    if (isFirst) group.push(tail);
    else if (isLast) group.push(head);
    else if (length > 2 * CONTEXT) {
      groups.push([...group, head]);
      group = [tail];
    } else group.push(all[at]);
  }
  if (group.some(({ isEqual }) => !isEqual)) groups.push(group);
  return groups;
}
