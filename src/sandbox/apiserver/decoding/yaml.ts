import { parse, stringify } from "@std/yaml";
import { errorText, goQuote, parseJson } from "../../../base/mod.ts";
import { attempt, isObject, type JsonObject } from "../base/mod.ts";
import { setMember } from "../schema/mod.ts";
import { countMembers, jsonShape, repeatedKeys } from "./json_tree.ts";
import { surveyYaml } from "./yaml_survey.ts";

/** A text that is not YAML. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** YAML, parsed as Go parses it. */
export interface YamlDocument {
  readonly value: unknown;
  /** Duplicate keys of a map: `line 7: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/**
 * Parses the first document of a text as YAML 1.1, in which a plain `yes` or `n` is a boolean.
 *
 * @throws {YamlError} If the text is not YAML.
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

/** JSON is YAML as well, and most bodies sent as YAML are JSON. */
function readJson(text: string): YamlDocument | undefined {
  if (text[0] !== "{") return undefined;
  const value = attempt(() => parseJson(text), SyntaxError);
  if (value === undefined) return undefined;
  if (jsonShape(text).members === countMembers(value)) return { value, duplicates: [] };
  return { value, duplicates: repeatedKeys(text).map(duplicateKey) };
}

function readAnyYaml(text: string): YamlDocument {
  const { duplicates, plain, tabLine } = surveyYaml(text);
  if (tabLine !== undefined) throw new YamlError(`yaml: line ${tabLine} is indented by a tab`);
  try {
    // The library's type for these options lacks the second one.
    const options = { schema: "core", allowDuplicateKeys: true } as Parameters<typeof parse>[1];
    return { value: asJson(parse(plain, options)), duplicates: duplicates.map(duplicateKey) };
  } catch (error) {
    if (error instanceof YamlError) throw error;
    throw new YamlError(`yaml: ${errorText(error).split("\n")[0]}`);
  }
}

function duplicateKey({ key, line }: { readonly key: string; readonly line: number }): string {
  return `line ${line}: key ${goQuote(key)} already set in map`;
}

/** A document's value as Go converts it to JSON: with sorted keys. */
function asJson(value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new YamlError(`yaml: JSON has no number ${value}`);
  if (Array.isArray(value)) return value.map(asJson);
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setMember(sorted, key, asJson(value[key]));
  return sorted;
}

/** JSON as YAML. It stays JSON, which is YAML as well, if it has numbers that only text can represent exactly. */
export function yamlText(json: string): string {
  if (/\d{16}/.test(json)) return `${json}\n`;
  return stringify(JSON.parse(json), { sortKeys: true, arrayIndent: false, compatMode: true, lineWidth: -1 });
}
