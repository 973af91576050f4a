import { parseDuration } from "../../../api/mod.ts";
import { attempt } from "../base/mod.ts";
import { parseAddress } from "../../../ip/mod.ts";

type Check = (text: string) => boolean;

const matches = (pattern: RegExp): Check => (text) => pattern.test(text);

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SHORT_NAME = new RegExp(`^${LABEL}$`);
const LONG_NAME = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const HOST = "[a-zA-Z0-9\\p{S}\\p{L}]";
const HOST_LABEL = new RegExp(`^${HOST}(?:(?:${HOST}|-)*${HOST})?$`, "u");
/** The last label: no two dashes in a row, letters at the end. */
const HOST_END = new RegExp(`^${HOST}(?:-?${HOST})*$`, "u");
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const ADDRESS = `(?:${ATOM}(?:\\.${ATOM})*|"(?:[^"\\\\]|\\\\.)*")@(?:${ATOM}(?:\\.${ATOM})*|\\[[^\\[\\]\\\\]*\\])`;
const EMAIL = new RegExp(`^(?:${ADDRESS}|[^<>"]*<${ADDRESS}>)$`, "u");
const TIME = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/;
const SCALA_DURATION = /(?<!\d)(\d+)\s*([A-Za-zµ]+)/g;
const SCALA_UNIT = /^(ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

const isDate: Check = (text) => {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return false;
  const [, year, month, day] = match.map(Number);
  // The day before the first of the next month; setFullYear does not add 1900 to years below 100.
  const end = new Date(0);
  end.setUTCFullYear(year, month, 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= end.getUTCDate();
};

const isDateTime: Check = (text) => {
  const [date, time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const [, hour, minute, second] = TIME.exec(time) ?? [];
  return hour !== undefined && hour <= "23" && minute <= "59" && second <= "59";
};

const isDuration: Check = (text) =>
  attempt(() => parseDuration(text)) !== undefined ||
  [...text.matchAll(SCALA_DURATION)].some(([, , unit]) => SCALA_UNIT.test(unit));

/** As Go's `url.ParseRequestURI`: absolute, or a path that begins with a slash. */
const isUri: Check = (text) => {
  // deno-lint-ignore no-control-regex -- what Go refuses in a URL
  if (/[\x00-\x1f\x7f]/.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text)) return false;
  const match = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/(?:\/([^/?]*))?/.exec(text);
  if (!match) return text === "*";
  const authority = match[1]?.replace(/^[^@]*@/, "") ?? "";
  return /^(?:\[[0-9A-Fa-f:.%]*\]|[^\s<>"\\^`{|}[\]:]*)(?::\d*)?$/.test(authority);
};

const isCidr: Check = (text) => {
  const [, address, bits] = /^(.+)\/(\d+)$/.exec(text) ?? [];
  return address !== undefined && Number(bits) <= (address.includes(":") ? 128 : 32) &&
    parseAddress(address) !== undefined;
};

const isHostname: Check = (text) => {
  const labels = text.split(".");
  if (text.length > 255 || labels.some((label) => label.length > 63)) return false;
  const end = labels.pop()!;
  return labels.every((label) => HOST_LABEL.test(label)) && end.length > (labels.length > 0 ? 1 : 2) &&
    HOST_END.test(end) && /[a-zA-Z\p{L}]{2}$/u.test(end);
};

const isMac: Check = (text) => {
  const isDotted = text.includes(".");
  const parts = text.split(isDotted ? "." : text.includes(":") ? ":" : "-");
  const part = isDotted ? /^[0-9A-Fa-f]{4}$/ : /^[0-9A-Fa-f]{2}$/;
  return [6, 8, 20].includes(parts.length * (isDotted ? 2 : 1)) && parts.every((one) => part.test(one));
};

/** Formats that are known, so that nobody is warned of them, but that accept any text here. */
const UNCHECKED = "bsonobjectid creditcard hexcolor isbn isbn10 isbn13 password rgbcolor ssn".split(" ");

/**
 * The string formats, by their name without dashes. Upstream: `kube-openapi/pkg/validation/strfmt` and
 * `apiextensions-apiserver/pkg/apiserver/validation/formats.go`.
 */
const FORMATS: Readonly<Record<string, Check>> = {
  uri: isUri,
  email: matches(EMAIL),
  hostname: isHostname,
  ipv4: (text) => text.includes(".") && parseAddress(text) !== undefined,
  ipv6: (text) => text.includes(":") && parseAddress(text) !== undefined,
  cidr: isCidr,
  mac: isMac,
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  ...Object.fromEntries(UNCHECKED.map((name) => [name, () => true])),
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && SHORT_NAME.test(text),
  k8slongname: (text) => text.length <= 253 && LONG_NAME.test(text),
};

/** The check of a string format; `undefined` for a format that is not checked. */
export function formatCheck(format: string): Check | undefined {
  const name = format.replaceAll("-", "");
  return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
}

/** Whether `type` has such a format; others are ignored, with a warning when the definition is written. */
export function isKnownFormat(type: string, format: string): boolean {
  if (type === "" || type === "string") return formatCheck(format) !== undefined;
  if (type === "integer") return format === "int32" || format === "int64";
  return type === "number" && (format === "float" || format === "double");
}
