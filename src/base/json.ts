/**
 * JSON as Kubernetes needs it: 64-bit integers survive a round trip. A number that JavaScript cannot hold exactly is kept
 * as a raw JSON value (`JSON.rawJSON`), which `JSON.stringify` writes back digit by digit. Raw values are immutable and
 * compare by their text.
 */

/** A value that came from JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface RawJsonSupport {
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
const raw = JSON as unknown as RawJsonSupport;

/** Sixteen digits in a row outside of a string can exceed 2^53; found before parsing, since a reviver is slow. */
const MAYBE_BIG_INTEGER = /(?:^|[:[,\s])-?\d{16,}/;

const keepBigIntegers =
  ((_key: string, value: unknown, context: { source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context.source ?? "")
      ? raw.rawJSON(context.source!)
      : value) as (this: unknown, key: string, value: unknown) => unknown;

/**
 * Parses JSON without losing integers beyond 2^53.
 *
 * @throws {SyntaxError} If `text` is not JSON.
 *
 * @example
 * ```ts
 * import { parseJson } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(JSON.stringify(parseJson("[9223372036854775807]")), "[9223372036854775807]");
 * ```
 */
export function parseJson(text: string): unknown {
  return MAYBE_BIG_INTEGER.test(text) ? JSON.parse(text, keepBigIntegers) : JSON.parse(text);
}

/** Whether `value` is an integer kept as text by {@link parseJson}. */
export function isRawNumber(value: unknown): value is { readonly rawJSON: string } {
  return raw.isRawJSON(value);
}

/** A number of any size as JSON text would have it, for `value` from {@link parseJson}. */
export function numberText(value: number | { readonly rawJSON: string }): string {
  return typeof value === "number" ? String(value) : value.rawJSON;
}

const DATA_PROPERTY = { configurable: true, enumerable: true, writable: true };

/** An independent copy of a JSON value. */
export function deepCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map(deepCopy) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = deepCopy((value as Record<string, unknown>)[key]);
    // Assigning this key (which a ConfigMap's data may have) would set the prototype instead.
    if (key === "__proto__") Object.defineProperty(copy, key, { ...DATA_PROPERTY, value: member });
    else copy[key] = member;
  }
  return copy as T;
}

/** Whether two JSON values are the same; a key whose value is `undefined` counts as absent. Key order does not matter. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isRawNumber(a) || isRawNumber(b)) return isRawNumber(a) && isRawNumber(b) && a.rawJSON === b.rawJSON;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key in left) if (!deepEqual(left[key], member(right, key))) return false;
  for (const key in right) if (right[key] !== undefined && member(left, key) === undefined) return false;
  return true;
}

/** Not what every object inherits: a label may be called `constructor`. */
function member(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
