import { parseDuration } from "../api/mod.ts";

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

  /** Every flag with its value as text, sorted by name, as the log shows them at start. */
  entries(): [name: string, value: string][] {
    return [...this.#definitions.values()].map(({ name, type }): [string, string] => {
      if (!LIST_TYPES.has(type)) return [name, this.string(name)];
      const values = this.strings(name).join(",");
      return [name, type === "colonSeparatedMultimapStringString" ? values : `[${values}]`];
    }).sort(([a], [b]) => a < b ? -1 : 1);
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
        const value = inline ?? (definition.type === "bool" ? "true" : args[++i]);
        this.#set(definition.name, value, `--${definition.name}`);
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
    if (why) throw new FlagError(`invalid argument ${JSON.stringify(value)} for ${JSON.stringify(shown)} flag: ${why}`);
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

/** Why `text` is not of `type`, in the words of Go's parsers. */
function objection(type: FlagType, text: string): string | undefined {
  const quoted = JSON.stringify(text);
  switch (type) {
    case "bool":
      return /^(1|0|t|T|true|TRUE|True|f|F|false|FALSE|False)$/.test(text)
        ? undefined
        : `strconv.ParseBool: parsing ${quoted}: invalid syntax`;
    case "int":
    case "int32":
    case "Level":
      return integerObjection(text, quoted);
    case "int32Slice":
      return text.split(",").map((part) => integerObjection(part, JSON.stringify(part))).find((why) => why);
    case "float":
    case "float32":
      return text.trim() !== "" && Number.isFinite(Number(text))
        ? undefined
        : `strconv.ParseFloat: parsing ${quoted}: invalid syntax`;
    case "duration":
      try {
        return void parseDuration(text);
      } catch (error) {
        return (error as Error).message;
      }
    case "ip":
      return /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)$/.test(text)
        ? undefined
        : `failed to parse IP: ${quoted}`;
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

function integerObjection(text: string, quoted: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return `strconv.ParseInt: parsing ${quoted}: invalid syntax`;
  return Math.abs(Number(text)) < 2 ** 31 ? undefined : `strconv.ParseInt: parsing ${quoted}: value out of range`;
}
