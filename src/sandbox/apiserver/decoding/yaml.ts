import { parse, stringify } from "@std/yaml";
import { errorText, goQuote, parseJson } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { setMember } from "../schema/mod.ts";
import { countMembers, jsonShape } from "./json_tree.ts";

/** A text that is no YAML. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** YAML, read as Go reads it. */
export interface YamlDocument {
  readonly value: unknown;
  /** The first key that comes twice in a map, if there is one: `line 7: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/**
 * Reads the first document of a text by YAML 1.1, where a plain `yes` or `n` is a boolean.
 *
 * @throws {YamlError} If the text is no YAML.
 *
 * @example
 * ```ts
 * import { readYaml } from "./yaml.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readYaml("a: yes\nb: 'n'\n").value, { a: true, b: "n" });
 * ```
 */
export function readYaml(text: string): YamlDocument {
  return readJson(text) ?? readAnyYaml(text);
}

/** All JSON is YAML as well, and most of what comes as YAML is JSON. */
function readJson(text: string): YamlDocument | undefined {
  if (text[0] !== "{") return undefined;
  try {
    const value = parseJson(text);
    const isPlain = jsonShape(text).members === countMembers(value);
    return { value, duplicates: isPlain ? [] : readAnyYaml(text).duplicates };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const DUPLICATE = /duplicated key at line (\d+), column (\d+)/;
const KEY = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^:\s]+))/;

function readAnyYaml(text: string): YamlDocument {
  const { plain, tabLine } = asOneDotTwo(text);
  if (tabLine !== undefined) throw new YamlError(`yaml: line ${tabLine} is indented by a tab`);
  try {
    return { value: asJson(parse(plain, { schema: "core" })), duplicates: [] };
  } catch (error) {
    if (error instanceof YamlError) throw error;
    const [, line, column] = DUPLICATE.exec(errorText(error)) ?? [];
    if (line === undefined) throw new YamlError(`yaml: ${errorText(error).split("\n")[0]}`);
    // The type of these options in the library lacks one that it has.
    const options: Parameters<typeof parse>[1] = { schema: "core", allowDuplicateKeys: true } as object;
    const [, ...keys] = KEY.exec(plain.split("\n")[Number(line) - 1].slice(Number(column) - 1)) ?? [];
    // Of a map in braces the library names the place where it ends.
    const key = keys.find((one) => one !== undefined && !/[}\],]/.test(one));
    const duplicates = [`line ${line}: ${key === undefined ? "a key is" : `key ${goQuote(key)}`} already set in map`];
    return { value: asJson(parse(plain, options)), duplicates };
  }
}

const BLOCK_TEXT = /(?:^|[:-]\s+)[|>][-+\d]*\s*(?:#|$)/;
const BOOLEAN = /((?:^|[:-]\s+|[[,]\s*))(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)(?=\s*(?:$|#|[\],}]))/g;

/**
 * The first document of a text with the booleans that only YAML 1.1 knows written out, and the first line that is indented by a
 * tab, which YAML forbids.
 */
function asOneDotTwo(text: string): { readonly plain: string; readonly tabLine?: number } {
  const out: string[] = [];
  let textIndent = -1;
  let tabLine: number | undefined;
  for (const [i, line] of text.split("\n").entries()) {
    if (/^---(\s|$)/.test(line) && out.some((each) => each.trim() !== "" && !/^(#|---)/.test(each.trim()))) break;
    const indent = /^ */.exec(line)![0].length;
    const isBlank = line.trim() === "" || line.trim().startsWith("#");
    const isText = textIndent >= 0 && (isBlank || indent > textIndent);
    if (!isText) textIndent = BLOCK_TEXT.test(line) && !isBlank ? indent : -1;
    if (!isText && !isBlank && line[indent] === "\t") tabLine ??= i + 1;
    const isPlain = isText || /["']/.test(line);
    out.push(isPlain ? line : line.replace(BOOLEAN, (_all, before, word) => before + /^(y|yes|on)$/i.test(word)));
  }
  return { plain: out.join("\n"), tabLine };
}

/** What a document holds as Go makes JSON of it: with sorted keys. */
function asJson(value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new YamlError(`yaml: JSON has no number ${value}`);
  if (Array.isArray(value)) return value.map(asJson);
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setMember(sorted, key, asJson(value[key]));
  return sorted;
}

/** JSON as YAML. Where it has numbers that only their text holds whole it stays what it is, which is YAML as well. */
export function yamlText(json: string): string {
  if (/\d{16}/.test(json)) return `${json}\n`;
  return stringify(JSON.parse(json), { sortKeys: true, arrayIndent: false, compatMode: true, lineWidth: -1 });
}
