import type { CustomResourceDefinitionNames } from "../../../api/mod.ts";
import { type Check, dns1035Label, each, type FieldErrors, fields } from "../validation/mod.ts";

/** A DNS label, whose problems are one cause. */
export const validateLabel: Check<string> = (value, at, errors) => {
  const problems = dns1035Label(value);
  if (problems.length > 0) errors.invalid(at, value, problems.join(","));
};

const validateMixedCase: Check<string> = (value, at, errors) => {
  const problems = dns1035Label(value.toLowerCase());
  const why = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  if (problems.length > 0) errors.invalid(at, value, why);
};

const checkNames = fields<CustomResourceDefinitionNames>({
  plural: validateLabel,
  singular: validateLabel,
  kind: validateMixedCase,
  listKind: validateMixedCase,
  shortNames: each(validateLabel),
});

/** Upstream: ValidateCustomResourceDefinitionNames. */
export function validateNames(names: CustomResourceDefinitionNames, at: string, errors: FieldErrors): void {
  checkNames(names, at, errors);
  const { kind, listKind, categories = [] } = names;
  if (kind && kind === listKind) errors.invalid(`${at}.listKind`, listKind, "kind and listKind may not be the same");
  each(validateLabel)(categories, `${at}.categories`, errors);
}
