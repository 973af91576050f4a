import type { JSONSchemaProps } from "../../../api/mod.ts";
import { isRawNumber } from "../../../base/mod.ts";
import { type Findings, misplaced, type Problem, wrong } from "./checks.ts";

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

/** A number of any size in a form that can be compared. */
function sizeOf(value: number | { readonly rawJSON: string }): number | bigint {
  return typeof value === "number" ? value : BigInt(value.rawJSON);
}

/** Upstream's number checks. Upstream: `kube-openapi/pkg/validation/validate/validator.go` (numberValidator). */
export function checkNumber(value: unknown, path: string, rule: NumberRule, found: Findings): void {
  if (typeof value !== "number" && !isRawNumber(value)) return;
  const size = sizeOf(value);
  const add = (problem: Problem | undefined) => problem && found.add(problem);
  /** A constraint's number, as upstream compares it with this value; reports it if it is out of range itself. */
  const named = (number: number, what: string): number => {
    const problem = rangeProblem(number, path, rule, what);
    add(problem);
    const isInteger = typeof size === "bigint" || Number.isInteger(size);
    return isInteger && !problem ? Math.trunc(number) : number;
  };
  add(rangeProblem(size, path, rule, "Checked"));
  if (rule.multipleOf !== undefined) {
    const step = named(rule.multipleOf, "MultipleOf");
    if (step <= 0) {
      add(wrong(path, step, `factor MultipleOf declared for ${path} must be positive: ${step}`));
    } else if (!isMultiple(size, step)) {
      add(wrong(path, value, `${path} in body should be a multiple of ${step}`));
    }
  }
  if (rule.minimum !== undefined) {
    const bound = named(rule.minimum, "Minimum boundary");
    const fits = rule.exclusiveMinimum ? size > bound : size >= bound;
    const how = rule.exclusiveMinimum ? "greater than" : "greater than or equal to";
    if (!fits) add(wrong(path, value, `${path} in body should be ${how} ${bound}`));
  }
  if (rule.maximum !== undefined) {
    const bound = named(rule.maximum, "Maximum boundary");
    const fits = rule.exclusiveMaximum ? size < bound : size <= bound;
    const how = rule.exclusiveMaximum ? "less than" : "less than or equal to";
    if (!fits) add(wrong(path, value, `${path} in body should be ${how} ${bound}`));
  }
}

function isMultiple(size: number | bigint, step: number): boolean {
  if (typeof size === "bigint") return !Number.isInteger(step) || size % BigInt(step) === 0n;
  const times = step < 1 ? 1 / step * size : size / step;
  return Math.abs(times - Math.round(times)) <= TOLERANCE * Math.max(1, Math.abs(times));
}

/** A number outside the range of the type and format. */
function rangeProblem(
  size: number | bigint,
  path: string,
  { type, format }: NumberRule,
  what: string,
): Problem | undefined {
  const holds = type === "integer"
    ? holdsInteger(size, format)
    : format !== "float" || Math.abs(Number(size)) <= LARGEST_FLOAT32;
  if (holds) return undefined;
  const known = format ? `with format ${format}` : "(default format)";
  return misplaced(`${what} value must be of type ${type} ${known} in ${path}`);
}

function holdsInteger(size: number | bigint, format: string): boolean {
  if (typeof size === "number" && !Number.isInteger(size)) return false;
  if (format === "int32") return size >= -2147483648 && size <= 2147483647;
  return size >= -INT64_LIMIT && size < INT64_LIMIT;
}
