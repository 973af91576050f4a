import { dns1035LabelErrors, labelKeyErrors, labelValueErrors, pathSegmentErrors } from "../../../api/mod.ts";

/**
 * What texts must look like. Each rule returns what is wrong in upstream's words, or nothing; a right value allocates nothing.
 * Upstream: `k8s.io/apimachinery/pkg/util/validation`.
 */
export type Format = (value: string) => readonly string[];

const FINE: readonly string[] = [];
const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const UNDERSCORE_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const UNDERSCORE_SUBDOMAIN = `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`;
const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);

const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start " +
  "and end with an alphanumeric character";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and " +
  "must start and end with an alphanumeric character";
const UNDERSCORE_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or " +
  "'.', and must start and end with an alphanumeric character";

/** What a value that does not match `pattern` is told. */
export function mismatch(rule: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${rule} (regex used for validation is '${pattern}')`;
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

const tooManyCharacters = (limit: number) => `must be no more than ${limit} characters`;
export const notBetween = (least: number, most: number) => `must be between ${least} and ${most}, inclusive`;

const encoder = new TextEncoder();

/** The length Go sees. */
export function byteLength(text: string): number {
  // deno-lint-ignore no-control-regex -- plain ASCII needs no encoding
  return /^[\x00-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length;
}

export const dnsLabel: Format = (value) => {
  if (value.length <= 63 && LABEL_PATTERN.test(value)) return FINE;
  const problems: string[] = [];
  if (byteLength(value) > 63) problems.push(tooManyCharacters(63));
  if (!LABEL_PATTERN.test(value)) {
    const dotted = SUBDOMAIN_PATTERN.test(value);
    problems.push(dotted ? "must not contain dots" : mismatch(LABEL_RULE, LABEL, "my-name", "123-abc"));
  }
  return problems;
};

export const dnsSubdomain: Format = (value) => {
  if (value.length <= 253 && SUBDOMAIN_PATTERN.test(value)) return FINE;
  const problems: string[] = [];
  if (byteLength(value) > 253) problems.push(tooManyCharacters(253));
  if (!SUBDOMAIN_PATTERN.test(value)) problems.push(mismatch(SUBDOMAIN_RULE, SUBDOMAIN, "example.com"));
  return problems;
};

/** As declarative rules of upstream word it: `bytes` instead of `characters`. */
export const longName: Format = (value) => {
  const problems = dnsSubdomain(value);
  return problems.length === 0 ? FINE : problems.map((problem) => problem.replace(/characters$/, "bytes"));
};

const WHOLE_UNDERSCORE_SUBDOMAIN = new RegExp(`^${UNDERSCORE_SUBDOMAIN}$`);

export const dnsSubdomainWithUnderscore: Format = (value) => {
  const problems: string[] = [];
  if (byteLength(value) > 253) problems.push(tooManyCharacters(253));
  if (!WHOLE_UNDERSCORE_SUBDOMAIN.test(value)) {
    problems.push(mismatch(UNDERSCORE_RULE, UNDERSCORE_SUBDOMAIN, "example.com"));
  }
  return problems;
};

export const dns1035Label: Format = (value) => {
  const problems = dns1035LabelErrors(value);
  return problems.length === 0 ? FINE : problems.map((problem) => problem.replace(/ bytes$/, " characters"));
};

const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const WHOLE_WILDCARD = new RegExp(`^${WILDCARD}$`);

export const wildcardSubdomain: Format = (value) => {
  const problems: string[] = [];
  if (byteLength(value) > 253) problems.push(tooManyCharacters(253));
  if (!WHOLE_WILDCARD.test(value)) {
    const rule = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must " +
      "consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    problems.push(mismatch(rule, WILDCARD, "*.example.com"));
  }
  return problems;
};

export const pathSegment: Format = (value) => /[/%]|^\.\.?$/.test(value) ? pathSegmentErrors(value) : FINE;

const KEY_PATTERN =
  /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALUE_PATTERN = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** The key of a label or annotation, or another qualified name: `example.com/My_name`. */
export const qualifiedName: Format = (value) =>
  value.length <= 63 && KEY_PATTERN.test(value) ? FINE : labelKeyErrors(value);

export const labelValue: Format = (value) =>
  value.length <= 63 && VALUE_PATTERN.test(value) ? FINE : labelValueErrors(value);

export const portName: Format = (value) => {
  if (value.length <= 15 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value) && /[a-z]/.test(value)) return FINE;
  const problems: string[] = [];
  if (value.length > 15) problems.push(tooManyCharacters(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (/^-|-$/.test(value)) problems.push("must not begin or end with a hyphen");
  return problems;
};

export const percent: Format = (value) =>
  /^[0-9]+%$/.test(value) ? FINE : [
    mismatch("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%"),
  ];

export const httpHeaderName: Format = (value) =>
  /^[-A-Za-z0-9]+$/.test(value) ? FINE : [
    mismatch("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+", "X-Header-Name"),
  ];

/** Printable ASCII without `=`. */
export const environmentName: Format = (value) => {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[\x20-\x3c\x3e-\x7e]*$/.test(value)) return FINE;
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

function upwards(value: string): readonly string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : FINE;
}

export const configMapKey: Format = (value) => {
  const problems: string[] = [];
  if (byteLength(value) > 253) problems.push(tooManyCharacters(253));
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(mismatch(rule, "[-._a-zA-Z0-9]+", "key.name", "KEY_NAME", "key-name"));
  }
  return [...problems, ...upwards(value)];
};

export const portNumber = (value: number): readonly string[] =>
  value >= 1 && value <= 65535 ? FINE : [notBetween(1, 65535)];

/** A user or group id. */
export const accountId = (value: number): readonly string[] =>
  value >= 0 && value <= 2147483647 ? FINE : [notBetween(0, 2147483647)];

/** `-` at the end of a prefix stands for what will follow. */
export function asPrefix(format: Format): Format {
  return (value) => format(value.length > 1 && value.endsWith("-") ? `${value.slice(0, -2)}a` : value);
}
