import type { WriteContext } from "../../traits/mod.ts";
import { byteLength, dnsLabel, dnsSubdomain, type FieldErrors } from "../../validation/mod.ts";

const AT = "spec.signerName";
const LONGEST_DOMAIN = 253;
const LONGEST_LABEL = 63;
const LONGEST = LONGEST_DOMAIN + 1 + (LONGEST_DOMAIN + 1 + LONGEST_LABEL);

/** Upstream: ValidateSignerName in `pkg/apis/core/validation/names.go`. */
export function validateSignerName(name: string, errors: FieldErrors): void {
  if (!name) return errors.required(AT);
  const [domain, path, ...rest] = name.split("/");
  if (path === undefined || rest.length > 0) {
    return errors.invalid(AT, name, "must be of the form 'example.com/signer-name'");
  }
  if (byteLength(domain) > LONGEST_DOMAIN) errors.tooLong(AT, LONGEST_DOMAIN);
  validateParts(domain, dnsLabel, errors);
  if (!domain.includes(".")) {
    errors.invalid(AT, domain, "should be a domain with at least two segments separated by dots");
  }
  validateParts(path, dnsSubdomain, errors);
  if (byteLength(name) > LONGEST) errors.tooLong(AT, LONGEST);
}

/** Reports the first invalid part between dots. */
function validateParts(text: string, problemsOf: (part: string) => readonly string[], errors: FieldErrors): void {
  const wrong = text.split(".").find((part) => problemsOf(part).length > 0);
  if (wrong === undefined) return;
  const problems = problemsOf(wrong).map((problem) => `validating label ${JSON.stringify(wrong)}: ${problem}`);
  errors.invalidFor(AT, text, problems);
}

/**
 * Whether a user may approve or sign for a signer, directly or through its whole domain.
 *
 * Upstream: `pkg/registry/certificates/certauthorization`.
 */
export function mayFor(
  signer: string,
  verb: "approve" | "sign",
  { state, user }: Pick<WriteContext, "state" | "user">,
): boolean {
  const [domain] = signer.split("/");
  return [signer, `${domain}/*`].some((name) =>
    state.authorize({ user, verb, group: "certificates.k8s.io", resource: "signers", name }).allowed
  );
}
