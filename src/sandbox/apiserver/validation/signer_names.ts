import { type FieldErrors, quote } from "./field_errors.ts";
import { byteLength, dnsLabel, dnsSubdomain, type Format } from "./formats.ts";

/** `example.com/signer`. Upstream: ValidateSignerName. */
export function validateSignerName(name: string, at: string, errors: FieldErrors): void {
  if (!name) return errors.required(at);
  const segments = name.split("/");
  if (segments.length !== 2) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return errors.invalid(at, name, why);
  }
  const [domain, path] = segments;
  if (byteLength(domain) > 253) errors.tooLong(at, 253);
  validateLabels(domain, at, errors, dnsLabel);
  if (!domain.includes(".")) {
    errors.invalid(at, domain, "should be a domain with at least two segments separated by dots");
  }
  validateLabels(path, at, errors, dnsSubdomain);
  if (byteLength(path) > LONGEST_PATH_BYTES) errors.tooLong(at, LONGEST_PATH_BYTES);
}

/** A resource's name, a dot, a namespace's name, a dot and another name. */
const LONGEST_PATH_BYTES = 253 + 63 + 1;

/** Reports the first label that is wrong. */
function validateLabels(labels: string, at: string, errors: FieldErrors, format: Format): void {
  const wrong = labels.split(".").find((label) => format(label).length > 0);
  if (wrong === undefined) return;
  for (const problem of format(wrong)) errors.invalid(at, labels, `validating label ${quote(wrong)}: ${problem}`);
}
