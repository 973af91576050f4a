type Interval = readonly [first: number, last: number];

export const NOT_INDEXES = "must be a list such as 0,3-5, in order and below `completions`";

const PART = /^(\+?\d+)(?:-(\+?\d+))?$/;

/** `3` or `3-5`; `undefined` unless it is in order and below `completions`. */
function parseInterval(text: string, completions: number): Interval | undefined {
  const [, from, to] = PART.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to ?? from)];
  return last < completions && (to === undefined || first < last) ? [first, last] : undefined;
}

/**
 * How many indexes a list like `0,3-5` contains; `undefined` unless all are in order and below `completions`. Upstream:
 * validateIndexesFormat.
 */
export function countIndexes(text: string, completions: number): number | undefined {
  let count = 0;
  let previous = -Infinity;
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = parseInterval(part, completions);
    if (!interval || previous >= interval[0]) return undefined;
    count += interval[1] - interval[0] + 1;
    previous = interval[1];
  }
  return count;
}
