import { formatDuration, parseDuration } from "../api/mod.ts";

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

/** One flag: what `--help` shows and how its text is read. */
export interface FlagDefinition {
  readonly name: string;
  readonly type: FlagType;
  readonly default: unknown;
  readonly group: string;
  /** What it does, for `--help`; upstream's own flags are explained in upstream's reference. */
  readonly usage?: string;
  /** Accepted with a warning, and not shown by `--help`. */
  readonly isHidden?: boolean;
}

/** A command line that cannot be used; `message` is what the user is told after `Error: `. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

const LIST_TYPES: ReadonlySet<FlagType> = new Set([
  "strings",
  "int32Slice",
  "namedCertKey",
  "stringToString",
  "colonSeparatedMultimapStringString",
]);

/**
 * Values of flags, read by name.
 *
 * Contract:
 * 1. A flag is given as `--name=value` or `--name value`; a boolean takes its value only after `=`, alone it means true.
 * 2. `_` and `-` in names are the same.
 * 3. A list flag given several times adds up; the first use replaces the default.
 * 4. A name that is not defined, or a value of the wrong type, is refused.
 *
 * Upstream: `github.com/spf13/pflag` as kube-controller-manager configures it.
 */
export class Flags {
  readonly #definitions: ReadonlyMap<string, FlagDefinition>;
  readonly #given = new Map<string, string[]>();
  /** What stood on the command line besides flags. */
  readonly positional: readonly string[];

  /** @throws {FlagError} As the contract says. */
  constructor(definitions: readonly FlagDefinition[], args: readonly string[]) {
    this.#definitions = new Map(definitions.map((definition) => [definition.name, definition]));
    this.positional = this.#parse(args);
  }

  /** Names that were given, in the order of their first use. */
  get given(): readonly string[] {
    return [...this.#given.keys()];
  }

  typeOf(name: string): FlagType {
    return this.#definition(name).type;
  }

  bool(name: string): boolean {
    const text = this.#last(name);
    return text === undefined ? this.#definition(name).default === true : /^(1|t|T|true|TRUE|True)$/.test(text);
  }

  string(name: string): string {
    return this.#last(name) ?? String(this.#definition(name).default);
  }

  number(name: string): number {
    return Number(this.#last(name) ?? this.#definition(name).default);
  }

  /** A duration in milliseconds. */
  durationMs(name: string): number {
    return parseDuration(this.string(name));
  }

  strings(name: string): readonly string[] {
    const given = this.#given.get(name);
    if (given) return given.flatMap((text) => text === "" ? [] : text.split(","));
    const standard = this.#definition(name).default;
    return Array.isArray(standard) ? standard.map(String) : [];
  }

  /** The texts that a flag was given, as they stand. */
  texts(name: string): readonly string[] {
    this.#definition(name);
    return this.#given.get(name) ?? [];
  }

  /** Every flag with its value as text, sorted by name, as upstream's log shows them at start. */
  entries(): [name: string, value: string][] {
    return [...this.#definitions.values()].map(({ name, type }): [string, string] => [name, this.#shown(name, type)])
      .sort(([a], [b]) => a < b ? -1 : 1);
  }

  #shown(name: string, type: FlagType): string {
    switch (type) {
      case "bool":
        return String(this.bool(name));
      case "int":
      case "int32":
      case "float":
      case "float32":
        return String(this.number(name));
      case "duration":
        return formatDuration(this.durationMs(name));
      case "colonSeparatedMultimapStringString":
        return this.strings(name).map((text) => text.includes(":") ? text : `:${text}`).join(",");
      case "stringToString":
        return `[${this.texts(name).map((text) => text.includes(",") ? JSON.stringify(text) : text).join(",")}]`;
      default:
        return LIST_TYPES.has(type) ? `[${this.strings(name).join(",")}]` : this.string(name);
    }
  }

  #parse(args: readonly string[]): string[] {
    const positional: string[] = [];
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      if (arg === "--") return [...positional, ...args.slice(i + 1)];
      if (arg === "-v" || arg.startsWith("-v=")) this.#set("v", arg.slice(3) || args[++i], "-v, --v");
      else if (arg.startsWith("--")) {
        const [, rawName, inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(arg)!;
        const definition = this.#definitions.get(rawName.replaceAll("_", "-"));
        if (!definition) throw new FlagError(`unknown flag: --${rawName}`);
        const value = inline ?? (definition.type === "bool" || definition.type === "version" ? "true" : args[++i]);
        this.#set(definition.name, value, definition.name === "v" ? "-v, --v" : `--${definition.name}`);
      } else if (arg.startsWith("-") && arg.length > 1) {
        throw new FlagError(`unknown shorthand flag: '${arg[1]}' in ${arg}`);
      } else positional.push(arg);
    }
    return positional;
  }

  #set(name: string, value: string | undefined, shown: string): void {
    const definition = this.#definition(name);
    if (value === undefined) throw new FlagError(`flag needs an argument: ${shown}`);
    const why = objection(definition.type, value);
    if (why !== undefined) {
      const what = `invalid argument ${JSON.stringify(value)} for ${JSON.stringify(shown)} flag: ${why}`;
      throw new FlagError(`${what} (it takes ${ACCEPTED[definition.type]})`);
    }
    if (LIST_TYPES.has(definition.type)) this.#given.set(name, [...(this.#given.get(name) ?? []), value]);
    else this.#given.set(name, [value]);
  }

  #definition(name: string): FlagDefinition {
    const definition = this.#definitions.get(name);
    if (!definition) throw new RangeError(`Cannot read flag "${name}": it is not defined`);
    return definition;
  }

  #last(name: string): string | undefined {
    this.#definition(name);
    return this.#given.get(name)?.at(-1);
  }
}

/** What a flag of each type takes, for whoever gave it something else. */
const ACCEPTED: Readonly<Record<FlagType, string>> = {
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

/** Why `text` is not of `type`, in the words of Go's parsers. */
function objection(type: FlagType, text: string): string | undefined {
  switch (type) {
    case "bool":
      return boolObjection(text);
    case "int":
    case "int32":
      return integerObjection(text, "ParseInt");
    case "Level":
      return integerObjection(text, "ParseUint");
    case "int32Slice":
      return text.split(",").map((part) => integerObjection(part, "ParseInt")).find((why) => why);
    case "float":
    case "float32":
      return text.trim() !== "" && Number.isFinite(Number(text))
        ? undefined
        : `strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`;
    case "duration":
      try {
        return void parseDuration(text);
      } catch (error) {
        return (error as Error).message;
      }
    case "quantity":
      return QUANTITY.test(text) ? undefined : `quantities must match the regular expression '${QUANTITY.source}'`;
    case "ip":
      return isAddress(text) ? undefined : `failed to parse IP: ${JSON.stringify(text)}`;
    case "version":
      return text === "raw" || text.startsWith("v") ? undefined : boolObjection(text);
    case "pattern=N,...":
      return text.split(",").map(patternObjection).find((why) => why);
    case "namedCertKey":
      return /^[^,:]+,[^,:]+(:.*)?$/.test(text) ? undefined : "expected comma separated certificate and key file paths";
    case "stringToString": {
      // With one `=`, a comma is part of the key or the value.
      const pairs = text.split("=").length === 2 ? [text] : text.split(",");
      const odd = pairs.find((pair) => pair !== "" && !pair.includes("="));
      return odd === undefined ? undefined : `${odd} must be formatted as key=value`;
    }
    default:
      return undefined;
  }
}

const QUANTITY = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

function boolObjection(text: string): string | undefined {
  return /^(1|0|t|T|true|TRUE|True|f|F|false|FALSE|False)$/.test(text)
    ? undefined
    : `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
}

function integerObjection(text: string, parser: "ParseInt" | "ParseUint"): string | undefined {
  const what = `strconv.${parser}: parsing ${JSON.stringify(text)}`;
  if (!(parser === "ParseInt" ? /^[+-]?\d+$/ : /^\d+$/).test(text)) return `${what}: invalid syntax`;
  return Math.abs(Number(text)) < 2 ** 31 ? undefined : `${what}: value out of range`;
}

function patternObjection(rule: string): string | undefined {
  if (rule === "") return undefined;
  const [, level] = /^[^=]+=(.*)$/.exec(rule) ?? [];
  if (level === undefined) return `${JSON.stringify(rule)} does not have the pattern=N format`;
  const why = integerObjection(level, "ParseUint");
  return why && `parsing verbosity in ${JSON.stringify(rule)}: ${why}`;
}

function isAddress(text: string): boolean {
  if (text.includes(":")) return URL.canParse(`http://[${text}]/`);
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) < 256);
}
