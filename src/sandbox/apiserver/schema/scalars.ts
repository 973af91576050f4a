import { formatMicroTime, formatTime, parseTime, Quantity } from "../../../api/mod.ts";
import { errorText, isRawNumber } from "../../../base/mod.ts";
import { isBase64, isMap, type JsonObject } from "../base/mod.ts";
import { Misfit, mismatch } from "./misfit.ts";
import type { ScalarType } from "./types.ts";

/**
 * A scalar as Go would write it after decoding it.
 *
 * @param reuses Whether raw JSON that needs no change is returned as it is instead of copied.
 */
export function readScalar(value: unknown, scalar: ScalarType, reuses: boolean): unknown {
  switch (scalar) {
    case "string":
    case "bytes":
      if (typeof value !== "string") throw mismatch(value, "a string");
      if (scalar === "bytes" && !isBase64(value)) throw new Misfit((path) => `${path}: must be base64`);
      return value;
    case "boolean":
      if (typeof value !== "boolean") throw mismatch(value, "a boolean");
      return value;
    case "int32":
    case "int64":
      return readInteger(value, scalar);
    case "number":
      if (typeof value === "number" || isRawNumber(value)) return value;
      throw mismatch(value, "a number");
    case "intOrString":
      return typeof value === "string" ? value : readInteger(value, "int32");
    case "raw":
      return sortedJson(value, reuses);
    default:
      return readText(value, scalar);
  }
}

const LIMITS = { int32: 2n ** 31n, int64: 2n ** 63n };

function readInteger(value: unknown, size: "int32" | "int64"): unknown {
  const isRaw = isRawNumber(value);
  if (!isRaw && typeof value !== "number") throw mismatch(value, "an integer");
  const isInteger = isRaw || Number.isInteger(value);
  const number = isInteger ? BigInt(isRaw ? value.rawJSON : value) : 0n;
  if (isInteger && number >= -LIMITS[size] && number < LIMITS[size]) return value;
  const text = isRaw ? value.rawJSON : String(value);
  throw new Misfit((path) => `${path}: must be an integer of ${size.slice(3)} bits, not ${text}`);
}

/** Whether the keys of a map are in Go's order. */
export function areSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i] < keys[i - 1]) return false;
  return true;
}

/** Sets a key of a map. Assigning `__proto__`, which a map may have, would set the prototype instead. */
export function setMember(out: JsonObject, key: string, value: unknown): void {
  if (key !== "__proto__") out[key] = value;
  else Object.defineProperty(out, key, { value, configurable: true, enumerable: true, writable: true });
}

/** Uninterpreted JSON with sorted keys: a copy, unless `reuses` and nothing changes. */
function sortedJson(value: unknown, reuses: boolean): unknown {
  if (Array.isArray(value)) {
    const out = value.map((item) => sortedJson(item, reuses));
    return reuses && out.every((item, i) => item === value[i]) ? value : out;
  }
  if (!isMap(value)) return value;
  const keys = Object.keys(value);
  let isSame = reuses && areSorted(keys);
  const out: JsonObject = {};
  for (const key of isSame ? keys : keys.sort()) {
    const sorted = sortedJson(value[key], reuses);
    if (sorted !== value[key]) isSame = false;
    setMember(out, key, sorted);
  }
  return isSame ? value : out;
}

/** A deep copy of JSON with sorted keys. */
export function sortedCopy<T>(value: T): T {
  return sortedJson(value, false) as T;
}

/** The date and time of a timestamp; days that not every month has are left to the parser. */
const CANONICAL_DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d/;

/** Whether a time is in canonical form. May return false for one that is, but never true for one that is not. */
function isCanonicalTime(text: string, scalar: "time" | "microTime"): boolean {
  if (!CANONICAL_DATE.test(text)) return false;
  return scalar === "time" ? text.length === 20 && text.endsWith("Z") : /^\.\d{6}Z$/.test(text.slice(19));
}

/** Quantities and their canonical form; a cluster has few different ones. */
const quantities = new Map<string, string>();
const MOST_QUANTITIES = 1000;

function canonicalQuantity(text: string): string {
  let canonical = quantities.get(text);
  if (canonical === undefined) {
    canonical = Quantity.parse(text).toString();
    if (quantities.size >= MOST_QUANTITIES) quantities.clear();
    quantities.set(text, canonical);
  }
  return canonical;
}

/** Decodes scalars with a canonical form. */
function readText(value: unknown, scalar: "quantity" | "time" | "microTime"): string {
  if (typeof value !== "string" && !(scalar === "quantity" && typeof value === "number")) {
    throw mismatch(value, scalar === "quantity" ? "a quantity" : "a time");
  }
  const text = String(value);
  try {
    if (scalar === "quantity") return canonicalQuantity(text);
    if (isCanonicalTime(text, scalar)) return text;
    const timeMs = parseTime(text);
    return scalar === "time" ? formatTime(timeMs) : formatMicroTime(timeMs);
  } catch (error) {
    throw new Misfit((path) => `${path}: ${errorText(error)}`);
  }
}
