import type { CustomResourceDefinitionNames } from "../../../api/mod.ts";
import { dns1035Label, type FieldErrors } from "../validation/mod.ts";

const MIXED = "may have mixed case, but should otherwise match: ";

/** Upstream: ValidateCustomResourceDefinitionNames. */
export function validateNames(names: CustomResourceDefinitionNames, at: string, errors: FieldErrors): void {
  const label = (value: string | undefined, field: string, prefix = "") => {
    const problems = value ? dns1035Label(prefix ? value.toLowerCase() : value) : [];
    if (problems.length > 0) errors.invalid(`${at}.${field}`, value, prefix + problems.join(","));
  };
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  label(plural, "plural");
  label(singular, "singular");
  label(kind, "kind", MIXED);
  label(listKind, "listKind", MIXED);
  for (const [i, name] of shortNames.entries()) validateListed(name, `${at}.shortNames[${i}]`, errors);
  if (kind && kind === listKind) errors.invalid(`${at}.listKind`, listKind, "kind and listKind may not be the same");
  for (const [i, name] of categories.entries()) validateListed(name, `${at}.categories[${i}]`, errors);
}

/** Unlike other names, those in a list may not be empty. */
function validateListed(name: string, at: string, errors: FieldErrors): void {
  const problems = dns1035Label(name);
  if (problems.length > 0) errors.invalid(at, name, problems.join(","));
}

/** A definition must have these names, its status need not. */
export function requireNames(names: Partial<CustomResourceDefinitionNames>, at: string, errors: FieldErrors): void {
  for (const field of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names[field]) errors.required(`${at}.${field}`);
  }
}
