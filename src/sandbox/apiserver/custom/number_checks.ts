import type { JSONSchemaProps } from "../../../api/mod.ts";
import { isRawNumber } from "../../../base/mod.ts";
import type { Findings } from "./checks.ts";

const LARGEST_FLOAT32 = 3.4028234663852886e38;
const INT64_LIMIT = 2n ** 63n;
/** Fractions are inexact in floating point. */
const TOLERANCE = 1e-9;

/** A schema's constraints on numbers. */
export interface NumberRule
  extends Pick<JSONSchemaProps, "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum" | "exclusiveMinimum"> {
  /** `integer` or `number` if that is the only type, otherwise empty. */
  readonly type: string;
  readonly format: string;
}

/** Upstream: `kube-openapi/pkg/validation/validate/validator.go` (numberValidator). */
export function checkNumber(value: unknown, path: string, rule: NumberRule, found: Findings): void {
  if (typeof value !== "number" && !isRawNumber(value)) return;
  const size = typeof value === "number" ? value : BigInt(value.rawJSON);
  const isInteger = typeof size === "bigint" || Number.isInteger(size);
  const { exclusiveMinimum, exclusiveMaximum } = rule;
  const check = (bound: number | undefined, wanted: string, fits: (bound: number) => boolean) => {
    if (bound === undefined) return;
    // An integer is compared with the bound's integer part.
    const used = isInteger ? Math.trunc(bound) : bound;
    if (!fits(used)) found.invalid(path, value, `should be ${wanted} ${used}`);
  };
  if (!isInRange(size, rule)) {
    const format = rule.format && ` and format ${rule.format}`;
    found.invalid("", "", `the value of ${path} must be of type ${rule.type}${format}`);
  }
  check(rule.multipleOf, "a multiple of", (step) => step > 0 && isMultiple(size, step));
  if (exclusiveMinimum) check(rule.minimum, "greater than", (bound) => size > bound);
  else check(rule.minimum, "greater than or equal to", (bound) => size >= bound);
  if (exclusiveMaximum) check(rule.maximum, "less than", (bound) => size < bound);
  else check(rule.maximum, "less than or equal to", (bound) => size <= bound);
}

function isMultiple(size: number | bigint, step: number): boolean {
  if (typeof size === "bigint") return !Number.isInteger(step) || size % BigInt(step) === 0n;
  const times = step < 1 ? 1 / step * size : size / step;
  return Math.abs(times - Math.round(times)) <= TOLERANCE * Math.max(1, Math.abs(times));
}

/** Whether a number is one of the type and format. */
function isInRange(size: number | bigint, { type, format }: NumberRule): boolean {
  if (type !== "integer") return format !== "float" || Math.abs(Number(size)) <= LARGEST_FLOAT32;
  if (typeof size === "number" && !Number.isInteger(size)) return false;
  if (format === "int32") return size >= -2147483648 && size <= 2147483647;
  return size >= -INT64_LIMIT && size < INT64_LIMIT;
}
