import { dnsLabel, dnsSubdomain } from "./formats.ts";
import type { FieldErrors } from "./field_errors.ts";
import { fields } from "./fields.ts";

const HTTP_PATH_PATTERN = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** `example.com/some/path`. Upstream: IsDomainPrefixedPath. */
export function validateDomainPath(value: string, at: string, errors: FieldErrors): void {
  if (!value) return errors.required(at);
  const slash = value.indexOf("/");
  const [host, path] = [value.slice(0, slash), value.slice(slash + 1)];
  if (slash < 0 || !host || !path) {
    return errors.invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  errors.invalidFor(at, host, dnsSubdomain(host));
  if (!HTTP_PATH_PATTERN.test(path)) errors.invalid(at, path, "must be a path of a URL");
}

/** A name of at least three labels. Upstream: IsFullyQualifiedName. */
export function validateQualifiedDomain(value: string, at: string, errors: FieldErrors): void {
  const problems = dnsSubdomain(value);
  if (problems.length > 0) return errors.invalid(at, value, problems.join(","));
  if (value.split(".").length >= 3) return;
  errors.invalid(at, value, "should be a domain with at least three segments separated by dots");
}

/** A name of at least two labels, with or without the last dot. Upstream: IsFullyQualifiedDomainName. */
export function validateDomain(value: string, at: string, errors: FieldErrors): void {
  if (!value) return errors.required(at);
  const name = value.replace(/\.$/, "");
  const problems = dnsSubdomain(name);
  if (problems.length > 0) return errors.invalid(at, name, problems.join(","));
  const labels = name.split(".");
  if (labels.length < 2) {
    return errors.invalid(at, name, "should be a domain with at least two segments separated by dots");
  }
  const wrong = labels.find((label) => dnsLabel(label).length > 0);
  if (wrong !== undefined) errors.invalid(at, wrong, dnsLabel(wrong).join(","));
}

/** A reference to an object of another kind, by group, kind and name. */
export const typedReference = fields<{ apiGroup?: string; kind?: string; name?: string }>({
  apiGroup: "subdomain",
  kind: "!path",
  name: "!path",
});
