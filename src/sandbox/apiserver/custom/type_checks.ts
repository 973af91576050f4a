import { isRawNumber } from "../../../base/mod.ts";
import { ofWrongType, type Problem } from "./checks.ts";

/** The type of a value, as JSON or Go's decoder names it. */
export type ValueType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export function typeOf(value: unknown): ValueType {
  if (value === null || value === undefined) return "null";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
      return Number.isInteger(value) ? "integer" : "number";
  }
  if (Array.isArray(value)) return "array";
  return isRawNumber(value) ? "integer" : "object";
}

/** A schema's constraints on types. */
export interface TypeRule {
  /** Empty if any type is allowed. */
  readonly types: readonly string[];
  /** Empty if there is none that means anything. */
  readonly format: string;
  readonly nullable: boolean;
}

/** Why a value of type `found` is invalid. Upstream: `kube-openapi/pkg/validation/validate/type.go`. */
export function typeProblem(
  found: ValueType,
  path: string,
  { types, format, nullable }: TypeRule,
): Problem | undefined {
  if (found === "null") {
    if (types.length === 0 || nullable) return undefined;
    return ofWrongType(path, types.join(","), "null");
  }
  const fits = types.includes(found) || (found === "integer" && types.includes("number"));
  const isTextual = found === "string" || found === "array";
  if (format !== "" && !isTextual && !fits) {
    return ofWrongType(path, format, found === "integer" ? "int64" : found === "number" ? "float64" : "");
  }
  const isNumeric = types.includes("number") || types.includes("integer");
  // Upstream accepts lists for strings with a format.
  if (format !== "" && isTextual && !isNumeric) return undefined;
  return fits ? undefined : ofWrongType(path, types.join(","), found);
}
