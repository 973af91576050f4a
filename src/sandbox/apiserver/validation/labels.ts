import type { Condition, LabelSelector, LabelSelectorRequirement } from "../../../api/mod.ts";
import type { FieldErrors } from "./field_errors.ts";
import { byteLength, labelValue, qualifiedName } from "./formats.ts";
import { type Check, each, formatted } from "./rules.ts";

const LARGEST_ANNOTATIONS_BYTES = 256 * 1024;

/** Keys and values of labels; every problem is reported at the map itself. */
export function validateLabels(labels: Record<string, string> | undefined, at: string, errors: FieldErrors): void {
  for (const key in labels) {
    errors.invalidFor(at, key, qualifiedName(key));
    errors.invalidFor(at, labels[key], labelValue(labels[key]));
  }
}

/** The keys of labels, any values, and a limit on the total size. */
export function validateAnnotations(
  annotations: Record<string, string> | undefined,
  at: string,
  errors: FieldErrors,
): void {
  let sizeBytes = 0;
  for (const key in annotations) {
    errors.invalidFor(at, key, qualifiedName(key.toLowerCase()));
    sizeBytes += byteLength(key) + byteLength(annotations[key]);
  }
  if (sizeBytes > LARGEST_ANNOTATIONS_BYTES) errors.tooLong(at, LARGEST_ANNOTATIONS_BYTES);
}

/** Upstream: ValidateLabelSelector in `apimachinery/pkg/apis/meta/v1/validation`. */
export const validateLabelSelector: Check<LabelSelector> = (selector, at, errors) => {
  validateLabels(selector.matchLabels, `${at}.matchLabels`, errors);
  each(validateRequirement)(selector.matchExpressions ?? [], `${at}.matchExpressions`, errors);
};

const validateRequirement: Check<LabelSelectorRequirement> = ({ key = "", operator, values = [] }, at, errors) => {
  validateOperator(operator, values, at, errors);
  errors.invalidFor(`${at}.key`, key, qualifiedName(key));
  each(formatted(labelValue))(values, `${at}.values`, errors);
};

/** The operators that label selectors and node selectors share. */
export function validateOperator(
  operator: string | undefined,
  values: readonly unknown[],
  at: string,
  errors: FieldErrors,
): void {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) errors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      errors.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else errors.invalid(`${at}.operator`, operator ?? "", "not a valid selector operator");
}

/** Whether a selector has neither labels nor expressions. */
export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

const REASON_PATTERN = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const STATUSES = ["False", "True", "Unknown"];

/** Conditions of the standard type. Upstream: ValidateConditions. */
export const validateConditions: Check<readonly Condition[]> = (conditions, at, errors) => {
  const types = new Set<string>();
  for (const [i, condition] of conditions.entries()) {
    const path = `${at}[${i}]`;
    const { type = "", status = "", observedGeneration = 0, reason = "", message = "" } = condition;
    if (types.has(type)) errors.duplicate(`${path}.type`, type);
    types.add(type);
    errors.invalidFor(`${path}.type`, type, qualifiedName(type));
    if (!STATUSES.includes(status)) errors.notSupported(`${path}.status`, status, STATUSES);
    if (observedGeneration < 0) {
      errors.invalid(`${path}.observedGeneration`, observedGeneration, "must be greater than or equal to zero");
    }
    if (!condition.lastTransitionTime) errors.required(`${path}.lastTransitionTime`);
    if (!reason) errors.required(`${path}.reason`);
    else if (!REASON_PATTERN.test(reason)) errors.invalid(`${path}.reason`, reason, "must be a word, such as MyReason");
    if (byteLength(reason) > 1024) errors.tooLong(`${path}.reason`, 1024);
    if (byteLength(message) > 32768) errors.tooLong(`${path}.message`, 32768);
  }
};
