import { isRawNumber } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { below, Misfit, mismatch } from "./misfit.ts";
import { areSorted, readScalar, setMember } from "./scalars.ts";
import { type EitherType, type Field, type StructType, type ValueType, ZEROS } from "./types.ts";

/** A body whose JSON does not fit its type; the response is 400. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** What decoding an object found, besides its value. */
export interface Findings {
  /** Paths of unknown fields, such as `spec.foo`. */
  readonly unknown: string[];
}

/** How to decode a value. */
interface Reading {
  /** Unknown fields, by their path from the value that is being decoded: `.foo`. */
  readonly unknown: string[];
  /** Whether valid values are returned as they are instead of copied. */
  readonly reuses: boolean;
}

/**
 * `value` as the API server would write it after decoding it into `struct`: unknown fields are dropped, empty values
 * kept or dropped as the Go type says, quantities and times in canonical form, fields in Go's order and map keys
 * sorted. Always a new object.
 *
 * @param path The path of `value` in the object; empty for a whole object.
 * @throws {DecodeError} If a value has the wrong type.
 *
 * @example
 * ```ts
 * import { normalise } from "./normalise.ts";
 * import { structOf } from "./types.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const container = { name: "c", image: "", stdin: false, resources: { limits: { cpu: "1000m" } } };
 * assertEquals(normalise(container, structOf("core.v1.Container")!), { name: "c", resources: { limits: { cpu: "1" } } });
 * ```
 */
export function normalise(value: unknown, struct: StructType, findings?: Findings, path = ""): JsonObject {
  const reading: Reading = { unknown: [], reuses: false };
  const written = read(value, struct, reading, path);
  for (const found of reading.unknown) findings?.unknown.push(path === "" ? found.slice(1) : path + found);
  return written;
}

/**
 * Like {@link normalise}, for a value that nothing else refers to: valid parts are not copied, others may be changed in
 * place.
 *
 * @throws {DecodeError} If a value has the wrong type.
 */
export function normaliseOwn(value: JsonObject, struct: StructType): JsonObject {
  return read(value, struct, { unknown: [], reuses: true }, "");
}

function read(value: unknown, struct: StructType, reading: Reading, path: string): JsonObject {
  try {
    // The collection gives apiVersion and kind of whole objects.
    return readStruct(value, struct, reading, path === "" && struct.fields.has("metadata"));
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new DecodeError(error.describe(path === "" ? error.path.replace(/^\./, "") : path + error.path));
  }
}

function readStruct(value: unknown, struct: StructType, reading: Reading, isWhole: boolean): JsonObject {
  if (!isObject(value)) throw mismatch(value, "an object");
  const fields: Field[] = [];
  let strangers: string[] | undefined;
  let isOrdered = true;
  let alwaysCount = 0;
  for (const name in value) {
    const field = isWhole && isTypeMeta(name) ? undefined : struct.fields.get(name);
    if (!field) {
      (strangers ??= []).push(name);
      continue;
    }
    if (fields.length > 0 && field.index < fields[fields.length - 1].index) isOrdered = false;
    if (field.always) alwaysCount++;
    fields.push(field);
  }
  if (!isOrdered) fields.sort((a, b) => a.index - b.index);
  const isComplete = isOrdered && !strangers && alwaysCount === struct.always.length;
  const out = reading.reuses && isComplete && !Object.isFrozen(value)
    ? rewrite(value, fields, reading)
    : write(value, fields, struct, reading);
  for (const name of strangers ?? []) if (!isWhole || !isTypeMeta(name)) reading.unknown.push(`.${name}`);
  return out;
}

function isTypeMeta(name: string): boolean {
  return name === "apiVersion" || name === "kind";
}

/** A new object with these fields in order, and with those that are always written. */
function write(value: JsonObject, fields: readonly Field[], { always }: StructType, reading: Reading): JsonObject {
  const out: JsonObject = {};
  let nextAlways = 0;
  let at = 0;
  try {
    for (; at < fields.length; at++) {
      const field = fields[at];
      while (nextAlways < always.length && always[nextAlways].index < field.index) {
        out[always[nextAlways].name] = zeroOf(always[nextAlways++]);
      }
      if (always[nextAlways] === field) nextAlways++;
      const before = reading.unknown.length;
      const written = readField(value[field.name], field, reading);
      if (reading.unknown.length > before) prefixFrom(reading.unknown, before, `.${field.name}`);
      if (written !== undefined) out[field.name] = written;
    }
  } catch (error) {
    throw below(`.${fields[at].name}`, error);
  }
  for (; nextAlways < always.length; nextAlways++) out[always[nextAlways].name] = zeroOf(always[nextAlways]);
  return out;
}

/** The same object if it keeps all its fields; `fields` are those, in their order. */
function rewrite(value: JsonObject, fields: readonly Field[], reading: Reading): JsonObject {
  let keepsAll = true;
  let at = 0;
  try {
    for (; at < fields.length; at++) {
      const { name } = fields[at];
      const member = value[name];
      const written = readField(member, fields[at], reading);
      if (written === undefined) keepsAll = false;
      if (written !== member) value[name] = written;
    }
  } catch (error) {
    throw below(`.${fields[at].name}`, error);
  }
  if (keepsAll) return value;
  const out: JsonObject = {};
  for (const { name } of fields) if (value[name] !== undefined) out[name] = value[name];
  return out;
}

/** Prepends `step` to the paths found below it, which start at `from`. */
function prefixFrom(paths: string[], from: number, step: string): void {
  for (let i = from; i < paths.length; i++) paths[i] = step + paths[i];
}

function readField(value: unknown, field: Field, reading: Reading): unknown {
  if (value === undefined || value === null) return field.always ? zeroOf(field) : undefined;
  const written = readValue(value, field.type, reading);
  const isRaw = field.type.kind === "scalar" && field.type.scalar === "raw";
  if (field.pointer || isRaw || !isZero(written)) return written;
  if (!field.always) return undefined;
  return field.type.kind === "struct" ? written : zeroOf(field);
}

function readValue(value: unknown, type: ValueType, reading: Reading): unknown {
  switch (type.kind) {
    case "scalar":
      return readScalar(value, type.scalar, reading.reuses);
    case "struct":
      return readStruct(value, type.struct, reading, false);
    case "list":
      if (!Array.isArray(value)) throw mismatch(value, "a list");
      return readList(value, type.item, reading);
    case "map":
      if (!isObject(value)) throw mismatch(value, "an object");
      return readMap(value, type.item, reading);
    case "either":
      // Unknown fields of such a value are dropped, but not reported.
      return readEither(value, type, { ...reading, unknown: [] });
  }
}

function readEither(value: unknown, { struct, or }: EitherType, reading: Reading): unknown {
  if (isObject(value)) return readStruct(value, struct, reading, false);
  if (or === "boolean") {
    if (typeof value === "boolean") return value;
    throw mismatch(value, "a boolean or an object");
  }
  if (!Array.isArray(value)) return [];
  const item: ValueType = or === "schemas" ? { kind: "struct", struct } : { kind: "scalar", scalar: "string" };
  return readList(value, item, reading);
}

function readList(value: readonly unknown[], item: ValueType, reading: Reading): readonly unknown[] {
  let out: unknown[] | undefined = reading.reuses ? undefined : [];
  let at = 0;
  try {
    for (; at < value.length; at++) {
      const before = reading.unknown.length;
      const written = readItem(value[at], item, reading);
      if (reading.unknown.length > before) prefixFrom(reading.unknown, before, `[${at}]`);
      if (written !== value[at]) out ??= value.slice(0, at);
      out?.push(written);
    }
  } catch (error) {
    throw below(`[${at}]`, error);
  }
  return out ?? value;
}

function readMap(value: JsonObject, item: ValueType, reading: Reading): JsonObject {
  const out: JsonObject = {};
  const keys = Object.keys(value);
  let isSame = reading.reuses && areSorted(keys);
  for (const key of isSame ? keys : keys.sort()) {
    const before = reading.unknown.length;
    try {
      const written = readItem(value[key], item, reading);
      if (written !== value[key]) isSame = false;
      setMember(out, key, written);
    } catch (error) {
      throw below(`.${key}`, error);
    }
    if (reading.unknown.length > before) prefixFrom(reading.unknown, before, `.${key}`);
  }
  return isSame ? value : out;
}

/** Items are never pointers, so null is decoded as the zero value. */
function readItem(value: unknown, type: ValueType, reading: Reading): unknown {
  return value === null || value === undefined ? zeroOfType(type) : readValue(value, type, reading);
}

function zeroOf({ pointer, type }: Field): unknown {
  return pointer ? null : zeroOfType(type);
}

function zeroOfType(type: ValueType): unknown {
  if (type.kind === "struct") return write({}, [], type.struct, { unknown: [], reuses: false });
  return type.kind === "scalar" ? ZEROS[type.scalar] : null;
}

function isZero(value: unknown): boolean {
  if (value === "" || value === 0 || value === false || value === null) return true;
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.length === 0;
  if (isRawNumber(value)) return false;
  for (const _key in value) return false;
  return true;
}
