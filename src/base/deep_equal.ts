import { isRawNumber } from "./json_numbers.ts";

/** How many levels are compared recursively, which is fastest; deeper ones are compared iteratively. */
const RECURSION_LEVELS = 128;

/** Pairs still to be compared, flattened. */
type Waiting = unknown[];

/**
 * Whether two JSON values of any depth are the same; a key whose value is `undefined` counts as absent. Key order does
 * not matter.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const waiting: Waiting = [];
  let isEqual = equal(a, b, 0, waiting);
  while (isEqual && waiting.length > 0) isEqual = equal(waiting.pop(), waiting.pop(), 0, waiting);
  return isEqual;
}

function equal(a: unknown, b: unknown, level: number, waiting: Waiting): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isRawNumber(a) || isRawNumber(b)) return isRawNumber(a) && isRawNumber(b) && a.rawJSON === b.rawJSON;
  if (level === RECURSION_LEVELS) {
    waiting.push(a, b);
    return true; // so far
  }
  const below = level + 1;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i], below, waiting)) return false;
    return true;
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key in left) if (!equal(left[key], member(right, key), below, waiting)) return false;
  for (const key in right) if (right[key] !== undefined && member(left, key) === undefined) return false;
  return true;
}

/** Reads own properties only: a label may be called `constructor`. */
function member(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
