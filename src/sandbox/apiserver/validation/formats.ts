import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  labelKeyErrors,
  labelValueErrors,
  pathSegmentErrors,
} from "../../../api/mod.ts";

/**
 * String formats. Each returns upstream's messages about what is wrong, or nothing.
 * Upstream: `k8s.io/apimachinery/pkg/util/validation`.
 */
export type Format = (value: string) => readonly string[];

const FINE: readonly string[] = [];
const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const UNDERSCORE_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);

export const notBetween = (least: number, most: number) => `must be between ${least} and ${most}, inclusive`;

const encoder = new TextEncoder();

/** The length in UTF-8, which is what Go counts. */
export function byteLength(text: string): number {
  // deno-lint-ignore no-control-regex -- plain ASCII needs no encoding
  return /^[\x00-\x7f]*$/.test(text) ? text.length : encoder.encode(text).length;
}

export const dnsLabel: Format = dns1123LabelErrors;
export const dns1035Label: Format = dns1035LabelErrors;

/** A string that matches an ASCII pattern, with a limit in bytes. */
function matching(pattern: RegExp, what: string, longestBytes = Infinity): Format {
  return (value) => {
    if (value.length <= longestBytes && pattern.test(value)) return FINE;
    const problems: string[] = [];
    if (byteLength(value) > longestBytes) problems.push(`must be no more than ${longestBytes} bytes`);
    if (!pattern.test(value)) problems.push(`must be ${what}`);
    return problems;
  };
}

export const dnsSubdomain = matching(SUBDOMAIN_PATTERN, "a lowercase RFC 1123 subdomain, such as example.com", 253);

export const dnsSubdomainWithUnderscore = matching(
  new RegExp(`^${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*$`),
  "a lowercase RFC 1123 subdomain, with or without underscores",
  253,
);

export const wildcardSubdomain = matching(new RegExp(`^\\*\\.${SUBDOMAIN}$`), "a subdomain that begins with *.", 253);

export const pathSegment: Format = (value) => /[/%]|^\.\.?$/.test(value) ? pathSegmentErrors(value) : FINE;

const KEY_PATTERN =
  /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALUE_PATTERN = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** The key of a label or annotation, or another qualified name: `example.com/My_name`. */
export const qualifiedName: Format = (value) =>
  value.length <= 63 && KEY_PATTERN.test(value) ? FINE : labelKeyErrors(value);

export const labelValue: Format = (value) =>
  value.length <= 63 && VALUE_PATTERN.test(value) ? FINE : labelValueErrors(value);

export const portName = matching(
  /^(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/,
  "of alphanumeric characters and single hyphens in between, one of them a letter",
  15,
);

export const percent = matching(/^[0-9]+%$/, "a percentage, such as 93%");
export const httpHeaderName = matching(/^[-A-Za-z0-9]+$/, "the name of an HTTP header, such as X-Header-Name");
export const environmentName = matching(
  /^[\x20-\x3c\x3e-\x7e]+$/,
  "a name of printable ASCII characters other than '='",
);

function upwards(value: string): readonly string[] {
  return value === "." || value.startsWith("..") ? ["must not be '.', nor start with '..'"] : FINE;
}

const keyText = matching(/^[-._a-zA-Z0-9]+$/, "a key of alphanumeric characters, '-', '_' or '.'", 253);

export const configMapKey: Format = (value) => [...keyText(value), ...upwards(value)];

export const portNumber = (value: number): readonly string[] =>
  value >= 1 && value <= 65535 ? FINE : [notBetween(1, 65535)];

/** A user or group id. */
export const accountId = (value: number): readonly string[] =>
  value >= 0 && value <= 2147483647 ? FINE : [notBetween(0, 2147483647)];
