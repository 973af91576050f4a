import { quote } from "../../validation/mod.ts";

/** Why a list of indexes is invalid. */
export interface BadIndexes {
  readonly problem: string;
}

type Interval = readonly [first: number, last: number];

function parseIndex(text: string, completions: number): number | BadIndexes {
  if (!/^[-+]?\d+$/.test(text)) return { problem: `cannot convert string to integer for index: ${quote(text)}` };
  const index = Number(text);
  return index >= completions ? { problem: `too large index: ${quote(text)}` } : index;
}

function parseInterval(text: string, completions: number): Interval | BadIndexes {
  const parts = text.split("-");
  if (parts.length > 2) return { problem: `the fragment ${quote(text)} has more than two parts` };
  const first = parseIndex(parts[0], completions);
  if (typeof first !== "number" || parts.length === 1) return typeof first === "number" ? [first, first] : first;
  const last = parseIndex(parts[1], completions);
  if (typeof last !== "number") return last;
  if (first < last) return [first, last];
  return { problem: `non-increasing order, previous: ${first}, current: ${last}` };
}

function isInterval(value: Interval | BadIndexes): value is Interval {
  return Array.isArray(value);
}

/** How many indexes a list like `0,3-5` contains, all below `completions`. Upstream: validateIndexesFormat. */
export function countIndexes(text: string, completions: number): number | BadIndexes {
  let count = 0;
  let previous = -Infinity;
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = parseInterval(part, completions);
    if (!isInterval(interval)) return interval;
    const [first, last] = interval;
    if (previous >= first) return { problem: `non-increasing order, previous: ${previous}, current: ${first}` };
    count += last - first + 1;
    previous = last;
  }
  return count;
}

/** The first index in both lists. Upstream: validateFailedIndexesNotOverlapCompleted. */
export function firstOverlap(completed: string, failed: string, completions: number): number | undefined {
  if (completed === "" || failed === "") return undefined;
  const intervals = (text: string) =>
    text.split(",").map((part) => parseInterval(part, completions)).filter(isInterval);
  for (const [first, last] of intervals(completed)) {
    for (const [failedFirst, failedLast] of intervals(failed)) {
      if (first <= failedLast && failedFirst <= last) return Math.max(first, failedFirst);
    }
  }
  return undefined;
}
