import { errorText } from "../base/mod.ts";
import { parseDuration, Quantity } from "../api/mod.ts";
import { ListError, readList } from "./flag_lists.ts";
import { floatObjection, integerObjection, levelObjection } from "./flag_numbers.ts";

/** Types of flags by upstream's names for them. */
export type FlagType =
  | "bool"
  | "string"
  | "strings"
  | "int"
  | "int32"
  | "int32Slice"
  | "float"
  | "float32"
  | "duration"
  | "quantity"
  | "ip"
  | "Level"
  | "version"
  | "pattern=N,..."
  | "namedCertKey"
  | "stringToString"
  | "colonSeparatedMultimapStringString";

/** What a flag of each type accepts, for error messages. */
export const ACCEPTED: Readonly<Record<FlagType, string>> = {
  bool: "true or false",
  string: "any text",
  strings: "texts, separated by commas",
  int: "a whole number",
  int32: "a whole number",
  int32Slice: "whole numbers, separated by commas",
  float: "a number",
  float32: "a number",
  duration: "a duration such as 1h30m or 500ms",
  quantity: "a quantity such as 500k or 1Mi",
  ip: "an IPv4 or IPv6 address",
  Level: "a whole number from 0 on",
  version: "true, false, raw or vX.Y.Z",
  "pattern=N,...": "NAME=LEVEL, separated by commas; * and ? are wildcards in a name",
  namedCertKey: "CERTFILE,KEYFILE or CERTFILE,KEYFILE:NAME,NAME",
  stringToString: "key=value, separated by commas",
  colonSeparatedMultimapStringString: "Name=true or Name=false, separated by commas",
};

/** Why `text` is not a value of `type`, in the words of Go's parsers. */
export function objection(type: FlagType, text: string): string | undefined {
  switch (type) {
    case "bool":
      return boolObjection(text);
    case "int":
      return integerObjection(text, 64);
    case "int32":
      return integerObjection(text, 32);
    case "Level":
      return levelObjection(text);
    case "int32Slice":
      return text.split(",").map((part) => integerObjection(part, 32)).find((why) => why);
    case "float":
      return floatObjection(text, 64);
    case "float32":
      return floatObjection(text, 32);
    case "duration":
      return complaint(() => parseDuration(text));
    case "quantity":
      return complaint(() => Quantity.parse(text));
    case "ip":
      return text === "" || readAddress(text) !== undefined ? undefined : `failed to parse IP: ${JSON.stringify(text)}`;
    case "version":
      return text === "raw" || text.startsWith("v") ? undefined : boolObjection(text);
    case "pattern=N,...":
      return text.split(",").map(patternObjection).find((why) => why);
    case "namedCertKey":
      return certificateObjection(text);
    case "strings":
      return complaint(() => readList(text));
    case "stringToString":
      return complaint(() => readPairs(text));
    default:
      return undefined;
  }
}

/** The message of the error that `read` throws. */
function complaint(read: () => unknown): string | undefined {
  try {
    return void read();
  } catch (error) {
    return errorText(error);
  }
}

function boolObjection(text: string): string | undefined {
  return /^(1|0|t|T|true|TRUE|True|f|F|false|FALSE|False)$/.test(text)
    ? undefined
    : `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
}

function patternObjection(rule: string): string | undefined {
  if (rule === "") return undefined;
  const [, level] = /^[^=]+=([^=]+)$/.exec(rule) ?? [];
  if (level === undefined) return `${JSON.stringify(rule)} does not have the pattern=N format`;
  const why = levelObjection(level);
  return why && `parsing verbosity in ${JSON.stringify(rule)}: ${why}`;
}

/** Refuses empty paths, which upstream accepts and later fails to find. */
function certificateObjection(text: string): string | undefined {
  const [, files, names] = /^([^:]*)(?::([^]*))?$/.exec(text)!;
  if (names?.trim() === "") return "empty names list is not allowed";
  const isPair = /^\s*[^\s,][^,]*,\s*[^\s,][^,]*$/.test(files);
  return isPair ? undefined : "expected comma separated certificate and key file paths";
}

/**
 * The pairs in a map's text. If there is only one `=`, commas belong to the key or the value.
 *
 * @throws {ListError} If a pair has no `=`, or the list is malformed.
 */
export function readPairs(text: string): [key: string, value: string][] {
  const signs = text.split("=").length - 1;
  const pairs = signs > 1 ? readList(text) : [signs === 0 ? text : text.replace(/^"+|(?<!")"+$/g, "")];
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at === -1) throw new ListError(`${pair} must be formatted as key=value`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

/** An IP address as Go writes it; `undefined` for anything else. */
export function readAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(trimmed)) {
    return trimmed.split(".").every((part) => Number(part) < 256) ? trimmed : undefined;
  }
  if (!trimmed.includes(":") || !URL.canParse(`http://[${trimmed}]/`)) return undefined;
  const address = new URL(`http://[${trimmed}]/`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(address) ?? [];
  if (high === undefined) return address;
  return [high, low].flatMap((half) => [parseInt(half, 16) >> 8, parseInt(half, 16) & 255]).join(".");
}
