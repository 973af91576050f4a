import { formatDuration, parseDuration } from "../api/mod.ts";
import { readList, writeList } from "./flag_lists.ts";
import { floatText, readFloat, readInteger } from "./flag_numbers.ts";
import { ACCEPTED, type FlagType, objection, readAddress, readPairs } from "./flag_types.ts";

/** One flag: its help and its type. */
export interface FlagDefinition {
  readonly name: string;
  readonly type: FlagType;
  readonly default: unknown;
  readonly group: string;
  /** What it does, for `--help`. */
  readonly usage?: string;
  /** Accepted with a warning, and hidden from `--help`. */
  readonly isHidden?: boolean;
  /** Accepted and checked, but without effect in this version. */
  readonly isIdle?: boolean;
}

/** An invalid command line; the user sees `message` after `Error: `. */
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

const FLOAT_BITS: Readonly<Partial<Record<FlagType, 32 | 64>>> = { float: 64, float32: 32 };

/**
 * Values of flags, read by name.
 *
 * Contract:
 * 1. A flag is given as `--name=value` or `--name value`; a boolean takes its value only after `=`, alone it means
 *    true.
 * 2. `_` and `-` in names are the same.
 * 3. A list flag given several times adds up; the first use replaces the default.
 * 4. A name that is not defined, or a value of the wrong type, is refused.
 *
 * Upstream: `github.com/spf13/pflag` as kube-controller-manager configures it.
 */
export class Flags {
  readonly #definitions: ReadonlyMap<string, FlagDefinition>;
  readonly #given = new Map<string, string[]>();
  /** Arguments other than flags. */
  readonly positional: readonly string[];

  /** @throws {FlagError} By the contract. */
  constructor(definitions: readonly FlagDefinition[], args: readonly string[]) {
    this.#definitions = new Map(definitions.map((definition) => [definition.name, definition]));
    this.positional = this.#parse(args);
  }

  /** Names that were given, in the order of their first use. */
  get given(): readonly string[] {
    return [...this.#given.keys()];
  }

  /** Whether there is such a flag. */
  has(name: string): boolean {
    return this.#definitions.has(name);
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
    const { type, default: standard } = this.#definition(name);
    const text = this.#last(name) ?? String(standard);
    const bits = FLOAT_BITS[type];
    return bits ? readFloat(text, bits)! : Number(readInteger(text) ?? text);
  }

  /** A duration in milliseconds. */
  durationMs(name: string): number {
    return parseDuration(this.string(name));
  }

  strings(name: string): readonly string[] {
    const { type, default: standard } = this.#definition(name);
    const given = this.#given.get(name);
    // Gates have no quotes.
    if (given && type === "strings") return given.flatMap(readList);
    if (given) return given.flatMap((text) => text.split(",")).map((text) => text.trim()).filter((text) => text !== "");
    return Array.isArray(standard) ? standard.map(String) : [];
  }

  /** The pairs that a map flag was given. */
  pairs(name: string): ReadonlyMap<string, string> {
    return new Map(this.texts(name).flatMap(readPairs));
  }

  /** The texts that a flag was given, unparsed. */
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
      case "version":
        return /^(raw|v.*)$/.test(this.string(name)) ? this.string(name) : String(this.bool(name));
      case "int":
      case "int32":
        return String(this.number(name));
      case "float":
      case "float32":
        return floatText(this.number(name), FLOAT_BITS[type]!);
      case "duration":
        return formatDuration(this.durationMs(name));
      case "colonSeparatedMultimapStringString":
        return this.strings(name).map((text) => text.includes(":") ? text : `:${text}`).join(",");
      case "stringToString":
        return `[${writeList([...this.pairs(name)].map((pair) => pair.join("=")))}]`;
      case "strings":
        return `[${writeList(this.strings(name))}]`;
      case "int32Slice":
        return `[${this.strings(name).map((text) => readInteger(text)).join(",")}]`;
      case "namedCertKey":
        return `[${
          this.texts(name).map((text) => text.split(/([,:])/).map((part) => part.trim()).join("")).join(";")
        }]`;
      case "pattern=N,...":
        return this.strings(name).join(",");
      default:
        return this.string(name);
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
    else if (definition.type !== "ip") this.#given.set(name, [value]);
    else if (value !== "") this.#given.set(name, [readAddress(value)!]);
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
