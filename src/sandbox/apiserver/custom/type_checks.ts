import { isRawNumber } from "../../../base/mod.ts";
import type { Findings } from "./checks.ts";

/** The type of a value, as JSON or Go's decoder names it. */
export type ValueType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export function typeOf(value: unknown): ValueType {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
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

/** Adds a problem if a value of type `found` is invalid. Upstream: `kube-openapi/pkg/validation/validate/type.go`. */
export function checkType(type: ValueType, path: string, { types, format, nullable }: TypeRule, found: Findings): void {
  const refuse = (wanted: string, shown: string) =>
    found.add(path, (errors, field) => errors.typeInvalid(field, shown, `must be of type ${wanted}`));
  if (type === "null") return types.length === 0 || nullable ? undefined : refuse(types.join(","), "null");
  const fits = types.includes(type) || (type === "integer" && types.includes("number"));
  const isTextual = type === "string" || type === "array";
  const isNumeric = types.includes("number") || types.includes("integer");
  if (format !== "" && !isTextual && !fits) refuse(format, type);
  // Upstream accepts lists for strings with a format.
  else if (!fits && (format === "" || !isTextual || isNumeric)) refuse(types.join(","), type);
}
