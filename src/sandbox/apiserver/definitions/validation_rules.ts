import type { JSONSchemaProps, ValidationRule } from "../../../api/mod.ts";
import { structuralOf } from "../custom/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";
import { followFieldPath } from "./field_path.ts";

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const LINE_BREAK = /[\n\r]/;

/** Validates `x-kubernetes-validations`, which this server does not run; a warning says so. */
export function validateRules(schema: JSONSchemaProps, at: string, errors: FieldErrors): void {
  for (const [i, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    validateRule(rule, schema, `${at}.x-kubernetes-validations[${i}]`, errors);
  }
}

function validateRule(rule: ValidationRule, schema: JSONSchemaProps, at: string, errors: FieldErrors): void {
  const { message = "", messageExpression = "", reason, fieldPath = "" } = rule;
  const text = rule.rule?.trim() ?? "";
  if (text === "") errors.required(`${at}.rule`, "rule is not specified");
  else if (message !== "" && message.trim() === "") {
    errors.invalid(`${at}.message`, message, "must be non-empty if specified");
  } else if (LINE_BREAK.test(message.trim())) {
    errors.invalid(`${at}.message`, message, "must not contain line breaks");
  } else if (LINE_BREAK.test(text) && message.trim() === "") {
    errors.required(`${at}.message`, "message must be specified if rule contains line breaks");
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.required(`${at}.messageExpression`, "messageExpression must be non-empty if specified");
  }
  if (reason !== undefined && !REASONS.includes(reason)) errors.notSupported(`${at}.reason`, reason, REASONS);
  if (fieldPath === "") return;
  if (fieldPath.trim() === "") errors.invalid(`${at}.fieldPath`, fieldPath, "must be non-empty if specified");
  if (LINE_BREAK.test(fieldPath)) errors.invalid(`${at}.fieldPath`, fieldPath, "must not contain line breaks");
  if (!followFieldPath(fieldPath, structuralOf(schema))) {
    errors.invalid(`${at}.fieldPath`, fieldPath, "must be a valid path");
  }
}
