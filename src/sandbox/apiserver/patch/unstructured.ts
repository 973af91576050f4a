import { isRawNumber } from "../../../base/mod.ts";
import { scalarErrorAsGo, treeOf } from "../decoding/mod.ts";
import { isObject } from "../base/mod.ts";
import { goNamesOf, type ScalarType, type StructType, type ValueType } from "../schema/mod.ts";
import { goKindOf, goTypeOf } from "../validation/mod.ts";

/**
 * Why the outcome of a strategic merge patch does not fit its type, in upstream's words, which differ from those for JSON: the
 * outcome is never written as JSON. Upstream: `apimachinery/pkg/runtime/converter.go` (fromUnstructured).
 */
export function conversionError(value: unknown, struct: StructType): string | undefined {
  if (!isObject(value)) return `cannot restore struct from: ${goKindOf(value)}`;
  const names = goNamesOf(struct);
  for (const [name, field] of struct.fields) {
    const member = value[name];
    if (member === undefined || member === null) continue;
    const error = errorOf(member, field.type, names.get(name)?.type ?? "");
    if (error !== undefined) return error;
  }
  return undefined;
}

function errorOf(value: unknown, type: ValueType, goType: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (type.kind) {
    case "struct":
      return conversionError(value, type.struct);
    case "list":
      if (!Array.isArray(value)) return `cannot restore slice from ${goKindOf(value)}`;
      return firstError(value, type.item, goType.replace(/^\[\]\*?/, ""));
    case "map":
      if (!isObject(value)) return `cannot restore map from ${goKindOf(value)}`;
      return firstError(Object.values(value), type.item, goType.replace(/^map\[[^\]]*\]/, ""));
    case "scalar":
      return scalarError(value, type.scalar, goType);
  }
}

function firstError(values: readonly unknown[], type: ValueType, goType: string): string | undefined {
  for (const value of values) {
    const error = errorOf(value, type, goType);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Which of JSON's types Go converts into which. */
const FITTING: Readonly<Partial<Record<ScalarType, readonly string[]>>> = {
  string: ["string"],
  bytes: ["string"],
  boolean: ["bool"],
  integer: ["int64"],
  number: ["int64", "float64"],
};

const BASE: Readonly<Partial<Record<ScalarType, string>>> = {
  string: "string",
  boolean: "bool",
  number: "float64",
};

function scalarError(value: unknown, scalar: ScalarType, goType: string): string | undefined {
  const fitting = FITTING[scalar];
  // All other types read themselves, from JSON.
  if (!fitting) return scalarErrorAsGo(treeOf(value), scalar);
  const found = goTypeOf(value);
  if (fitting.includes(found)) return undefined;
  if (scalar === "bytes") return `cannot restore slice from ${goKindOf(value)}`;
  const isNumber = typeof value === "number" || isRawNumber(value);
  // Go could convert a number into a text, but not as JSON means it; other types it cannot convert at all.
  if (isNumber && (scalar === "string" ? found === "int64" : scalar === "integer")) {
    return `cannot convert ${found} to ${goType}`;
  }
  return `unrecognized type: ${BASE[scalar] ?? goType}`;
}
