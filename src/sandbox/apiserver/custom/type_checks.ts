import { isRawNumber } from "../../../base/mod.ts";
import { ofWrongType, type Problem } from "./checks.ts";

/** What JSON, or Go after reading it, calls the type of a value. */
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

/** What a schema says about types. */
export interface TypeRule {
  /** Empty where any type will do. */
  readonly types: readonly string[];
  /** Empty where there is none that means anything. */
  readonly format: string;
  readonly nullable: boolean;
}

/** What is wrong with a value of type `found`. Upstream: `kube-openapi/pkg/validation/validate/type.go`, with its oddities. */
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
  // A format for texts makes upstream accept lists as well.
  if (format !== "" && isTextual && !isNumeric) return undefined;
  return fits ? undefined : ofWrongType(path, types.join(","), found);
}
