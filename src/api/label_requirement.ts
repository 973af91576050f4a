import { compareUtf8, goQuote, parseInt64 } from "../base/mod.ts";
import { labelKeyErrors, labelValueErrors } from "./name_rules.ts";
import { isAmong } from "./value_set.ts";

/** Says that a selector cannot be understood or is not allowed; the message is upstream's. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/** How a requirement compares, by upstream's names. */
export type SelectorOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

const BINARY_OPERATORS: readonly SelectorOperator[] = ["in", "notin", "=", "==", "!=", "gt", "lt"];

/** The names of {@link BINARY_OPERATORS}, as an error lists them. */
export const BINARY_OPERATOR_NAMES = BINARY_OPERATORS.join(", ");

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** One condition of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

/**
 * A checked requirement. Upstream: `k8s.io/apimachinery/pkg/labels/selector.go` (NewRequirement).
 *
 * @throws {SelectorError} If the key or a value is not allowed, or the number of values does not fit the operator.
 */
export function labelRequirement(key: string, operator: SelectorOperator, values: readonly string[]): LabelRequirement {
  const problems: string[] = [];
  const add = (path: string, value: unknown, why: string) => {
    const shown = typeof value === "string" ? goQuote(value) : JSON.stringify(value);
    const problem = `${path}: Invalid value: ${shown}: ${why}`;
    if (!problems.includes(problem)) problems.push(problem);
  };
  const keyErrors = labelKeyErrors(key);
  if (keyErrors.length > 0) add("key", key, keyErrors.join("; "));
  const why = valuesProblem(operator, values);
  if (why) add("values", values.length > 0 ? values : null, why);
  if (operator === "gt" || operator === "lt") {
    for (const [i, value] of values.entries()) {
      if (parseInt64(value) === undefined) {
        add(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer");
      }
    }
  }
  for (const [i, value] of values.entries()) {
    const errors = labelValueErrors(value);
    if (errors.length > 0) add(`values[${i}][${key}]`, value, errors.join("; "));
  }
  if (problems.length > 0) throw new SelectorError(problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`);
  return { key, operator, values: [...values] };
}

function valuesProblem(operator: SelectorOperator, values: readonly string[]): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case "=":
    case "==":
    case "!=":
      return values.length !== 1 ? "exact-match compatibility requires one single value" : undefined;
    case "exists":
    case "!":
      return values.length !== 0 ? "values set must be empty for exists and does not exist" : undefined;
    case "gt":
    case "lt":
      return values.length !== 1 ? "for 'Gt', 'Lt' operators, exactly one value is required" : undefined;
  }
}

/** Whether `labels` fulfil the requirement. What excludes values is fulfilled by an absent label too. */
export function requirementMatches({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "in":
    case "=":
    case "==":
      return value !== undefined && isAmong(values, value);
    case "notin":
    case "!=":
      return value === undefined || !isAmong(values, value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt": {
      const left = value === undefined ? undefined : parseInt64(value);
      const right = parseInt64(values[0]);
      if (left === undefined || right === undefined) return false;
      return operator === "gt" ? left > right : left < right;
    }
  }
}

/** The requirement as a selector spells it. */
export function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "in":
    case "notin":
      return `${key} ${operator} (${values.toSorted(compareUtf8).join(",")})`;
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "gt":
      return `${key}>${values[0]}`;
    case "lt":
      return `${key}<${values[0]}`;
    default:
      return key + operator + values[0];
  }
}
