/**
 * The rules for names, labels and their like. Each function returns what is wrong with a value in upstream's words, or
 * nothing. Upstream: `k8s.io/apimachinery/pkg/api/validate/content`.
 */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${LABEL_KEY})?`;

const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const DNS1035_LABEL_PATTERN = new RegExp(`^${DNS1035_LABEL}$`);
const LABEL_KEY_PATTERN = new RegExp(`^${LABEL_KEY}$`);
const LABEL_VALUE_PATTERN = new RegExp(`^${LABEL_VALUE}$`);

const EMPTY = "must be non-empty";
const tooLong = (limit: number) => `must be no more than ${limit} bytes`;

function mismatch(rule: string, pattern: string, ...examples: string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

const encoder = new TextEncoder();
function byteLength(text: string): number {
  // Names are ASCII almost always, and to see that takes a fraction of the time.
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return encoder.encode(text).length;
  return text.length;
}

/** What keeps `value` from being a DNS label (RFC 1123), as the names of namespaces and services are. */
export function dns1123LabelErrors(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > 63) errors.push(tooLong(63));
  if (!LABEL_PATTERN.test(value)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and " +
      "end with an alphanumeric character";
    errors.push(
      SUBDOMAIN_PATTERN.test(value) ? "must not contain dots" : mismatch(rule, LABEL, "my-name", "123-abc"),
    );
  }
  return errors;
}

/** What keeps `value` from being a DNS subdomain (RFC 1123), as most names are. */
export function dns1123SubdomainErrors(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > 253) errors.push(tooLong(253));
  if (!SUBDOMAIN_PATTERN.test(value)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
      "start and end with an alphanumeric character";
    errors.push(mismatch(rule, SUBDOMAIN, "example.com"));
  }
  return errors;
}

/** What keeps `value` from being a DNS label that starts with a letter (RFC 1035). */
export function dns1035LabelErrors(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > 63) errors.push(tooLong(63));
  if (!DNS1035_LABEL_PATTERN.test(value)) {
    const rule =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
      "character, and end with an alphanumeric character";
    errors.push(mismatch(rule, DNS1035_LABEL, "my-name", "abc-123"));
  }
  return errors;
}

/** What keeps `value` from being the key of a label or annotation, or another qualified name: `example.com/My_name`. */
export function labelKeyErrors(value: string): string[] {
  const rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
    "character";
  const examples = ["MyName", "my.name", "123-abc"];
  const parts = value.split("/");
  if (parts.length > 2) {
    const prefixNote = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${mismatch(rule, LABEL_KEY, ...examples)}${prefixNote}`];
  }
  const errors: string[] = [];
  const name = parts.at(-1)!;
  if (parts.length === 2) {
    const problems = parts[0] === "" ? [EMPTY] : dns1123SubdomainErrors(parts[0]);
    errors.push(...problems.map((problem) => `prefix part ${problem}`));
  }
  if (name === "") errors.push(`name part ${EMPTY}`);
  else if (byteLength(name) > 63) errors.push(`name part ${tooLong(63)}`);
  if (!LABEL_KEY_PATTERN.test(name)) errors.push(`name part ${mismatch(rule, LABEL_KEY, ...examples)}`);
  return errors;
}

/** What keeps `value` from being the value of a label. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > 63) errors.push(tooLong(63));
  if (!LABEL_VALUE_PATTERN.test(value)) {
    const rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
      "start and end with an alphanumeric character";
    errors.push(mismatch(rule, LABEL_VALUE, "MyValue", "my_value", "12345"));
  }
  return errors;
}

/** What keeps `value` from being one segment of a path; the least that any name must fulfil. */
export function pathSegmentErrors(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Whether `value` is a DNS label (RFC 1123). */
export function isDns1123Label(value: string): boolean {
  return dns1123LabelErrors(value).length === 0;
}

/** Whether `value` is a DNS subdomain (RFC 1123). */
export function isDns1123Subdomain(value: string): boolean {
  return dns1123SubdomainErrors(value).length === 0;
}
