import {
  type FieldSelectorAttributes,
  type LabelSelectorAttributes,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceAttributes,
  SelectorError,
  type SubjectAccessReviewSpec,
} from "../../../api/mod.ts";
import { attempt } from "../base/mod.ts";
import { type FieldErrors, validateOperator } from "../validation/mod.ts";

const AT = "spec.resourceAttributes";
const WITH_VALUES = ["In", "NotIn"];
const WITHOUT_VALUES = ["Exists", "DoesNotExist"];

/** An access review must ask about exactly one access. Upstream: `pkg/apis/authorization/validation`. */
export function validateAttributes(spec: SubjectAccessReviewSpec, errors: FieldErrors): void {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes && nonResourceAttributes) {
    errors.invalid(
      "spec.nonResourceAttributes",
      nonResourceAttributes,
      "cannot be set together with resourceAttributes",
    );
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    errors.invalid(AT, undefined, "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
}

/** Selectors are validated, although no rule of a role considers them. */
export function validateSelectors({ resourceAttributes }: SubjectAccessReviewSpec, errors: FieldErrors): void {
  validateSelector(`${AT}.fieldSelector`, resourceAttributes?.fieldSelector, errors);
  validateSelector(`${AT}.labelSelector`, resourceAttributes?.labelSelector, errors);
}

function validateSelector(
  at: string,
  selector: FieldSelectorAttributes | LabelSelectorAttributes | undefined,
  errors: FieldErrors,
): void {
  if (!selector) return;
  const { rawSelector, requirements = [] } = selector;
  if (rawSelector && requirements.length > 0) {
    errors.invalid(`${at}.rawSelector`, rawSelector, "may not specified at the same time as requirements");
  }
  if (!rawSelector && requirements.length === 0) {
    errors.required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`);
  }
  for (const [i, { key, operator, values = [] }] of requirements.entries()) {
    const here = `${at}.requirements[${i}]`;
    if (!key) errors.required(`${here}.key`, "must be specified");
    if (isLabelRequirement({ operator })) validateOperator(operator, values, here, errors);
  }
}

/** Which selectors could not be parsed and were therefore not considered. */
export function evaluationError({ fieldSelector, labelSelector }: ResourceAttributes = {}): string {
  const broken: string[] = [];
  const note = (field: string, part: string) => broken.push(`${AT}.${field} ${part}ignored due to parse error`);
  if (fieldSelector) {
    noteBroken(fieldSelector, parseFieldSelector, isFieldRequirement, (part) => note("fieldSelector", part));
  }
  if (labelSelector) {
    noteBroken(labelSelector, parseLabelSelector, isLabelRequirement, (part) => note("labelSelector", part));
  }
  return broken.join("; ");
}

interface Requirement {
  readonly operator: string;
  readonly values?: readonly string[];
}

function noteBroken(
  { rawSelector, requirements = [] }: { readonly rawSelector?: string; readonly requirements?: readonly Requirement[] },
  parse: (text: string) => unknown,
  isReadable: (requirement: Requirement) => boolean,
  note: (part: string) => void,
): void {
  const unreadable = requirements.filter((requirement) => !isReadable(requirement)).length;
  if (unreadable > 0) note(unreadable < requirements.length ? "partially " : "");
  else if (requirements.length === 0 && rawSelector && attempt(() => parse(rawSelector), SelectorError) === undefined) {
    note("");
  }
}

function isFieldRequirement({ operator, values = [] }: Requirement): boolean {
  return WITH_VALUES.includes(operator) && values.length === 1;
}

function isLabelRequirement({ operator }: Requirement): boolean {
  return WITH_VALUES.includes(operator) || WITHOUT_VALUES.includes(operator);
}
