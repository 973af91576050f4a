import { formatMicroTime, formatTime, parseTime, Quantity } from "../../../api/mod.ts";
import { isRawNumber } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Field, ScalarType, StructType, ValueType } from "./types.ts";

/** A body whose JSON does not fit the type; answered with 400. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** What reading an object revealed besides its value. */
export interface Findings {
  /** Paths of fields that the type does not have, such as `spec.foo`. */
  readonly unknown: string[];
}

/**
 * `value` as the API server would write it after reading it into `struct`: unknown fields gone, empty values kept or dropped as
 * the Go type says, quantities and times in canonical form, fields in Go order and map keys sorted. Always a new object.
 *
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
  if (!isObject(value)) throw mismatch(value, path, struct.name);
  const out: JsonObject = {};
  for (const field of struct.fields.values()) {
    // Of whole objects they are what the collection says.
    if (path === "" && (field.name === "apiVersion" || field.name === "kind") && struct.fields.has("metadata")) {
      continue;
    }
    const at = path === "" ? field.name : `${path}.${field.name}`;
    const written = normaliseField(value[field.name], field, findings, at);
    if (written !== undefined) out[field.name] = written;
  }
  if (findings) {
    for (const key in value) {
      if (struct.fields.has(key) || (path === "" && (key === "apiVersion" || key === "kind"))) continue;
      findings.unknown.push(path === "" ? key : `${path}.${key}`);
    }
  }
  return out;
}

function normaliseField(value: unknown, field: Field, findings: Findings | undefined, path: string): unknown {
  if (value === undefined || value === null) return field.always ? zeroOf(field, path) : undefined;
  const written = normaliseValue(value, field.type, findings, path);
  if (field.pointer) return written;
  if (!isZero(written)) return written;
  if (field.type.kind === "struct") return field.always ? written : undefined;
  return field.always ? zeroOf(field, path) : undefined;
}

function normaliseValue(value: unknown, type: ValueType, findings: Findings | undefined, path: string): unknown {
  switch (type.kind) {
    case "scalar":
      return normaliseScalar(value, type.scalar, path);
    case "struct":
      return normalise(value, type.struct, findings, path);
    case "list":
      if (!Array.isArray(value)) throw mismatch(value, path, "list");
      return value.map((item, i) => normaliseItem(item, type.item, findings, `${path}[${i}]`));
    case "map": {
      if (!isObject(value)) throw mismatch(value, path, "map");
      const out: JsonObject = {};
      for (const key of Object.keys(value).sort()) {
        out[key] = normaliseItem(value[key], type.item, findings, `${path}.${key}`);
      }
      return out;
    }
  }
}

/** Items are values, never pointers: null reads as the zero value. */
function normaliseItem(value: unknown, type: ValueType, findings: Findings | undefined, path: string): unknown {
  if (value !== null && value !== undefined) return normaliseValue(value, type, findings, path);
  if (type.kind === "struct") return normalise({}, type.struct, findings, path);
  if (type.kind === "scalar") return zeroScalar(type.scalar);
  return null;
}

function normaliseScalar(value: unknown, scalar: ScalarType, path: string): unknown {
  switch (scalar) {
    case "string":
    case "bytes":
      if (typeof value !== "string") throw mismatch(value, path, "string");
      return value;
    case "boolean":
      if (typeof value !== "boolean") throw mismatch(value, path, "bool");
      return value;
    case "integer":
      if (isRawNumber(value) || Number.isInteger(value)) return value;
      throw mismatch(value, path, "int64");
    case "number":
      if (isRawNumber(value) || typeof value === "number") return value;
      throw mismatch(value, path, "float64");
    case "intOrString":
      if (typeof value === "string" || Number.isInteger(value)) return value;
      throw mismatch(value, path, "int32");
    case "raw":
      return structuredJson(value);
    default:
      return normaliseText(value, scalar, path);
  }
}

/** Scalars that have a canonical spelling. */
function normaliseText(value: unknown, scalar: "quantity" | "time" | "microTime", path: string): string {
  if (typeof value !== "string" && !(scalar === "quantity" && typeof value === "number")) {
    throw mismatch(value, path, scalar);
  }
  try {
    if (scalar === "quantity") return Quantity.parse(value).toString();
    const timeMs = parseTime(String(value));
    return scalar === "time" ? formatTime(timeMs) : formatMicroTime(timeMs);
  } catch (error) {
    throw new DecodeError(`${path}: ${error instanceof Error ? error.message : error}`);
  }
}

function zeroOf(field: Field, path: string): unknown {
  if (field.pointer) return null;
  if (field.type.kind === "struct") return normalise({}, field.type.struct, undefined, path);
  return field.type.kind === "scalar" ? zeroScalar(field.type.scalar) : null;
}

const ZEROS: Readonly<Record<ScalarType, unknown>> = {
  string: "",
  bytes: "",
  integer: 0,
  number: 0,
  boolean: false,
  quantity: "0",
  intOrString: 0,
  time: null,
  microTime: null,
  raw: null,
};

function zeroScalar(scalar: ScalarType): unknown {
  return ZEROS[scalar];
}

function isZero(value: unknown): boolean {
  if (value === "" || value === 0 || value === false || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && !isRawNumber(value) && Object.keys(value).length === 0;
}

/** A new copy of JSON that nobody interprets. */
function structuredJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredJson);
  if (!isObject(value) || isRawNumber(value)) return value;
  const out: JsonObject = {};
  for (const key of Object.keys(value).sort()) out[key] = structuredJson(value[key]);
  return out;
}

function mismatch(value: unknown, path: string, wanted: string): DecodeError {
  const found = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  const kind = found === "boolean" ? "bool" : found;
  return new DecodeError(`json: cannot unmarshal ${kind} into Go struct field ${path || "object"} of type ${wanted}`);
}
