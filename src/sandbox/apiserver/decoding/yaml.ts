import { parse } from "@std/yaml";
import { errorText, goQuote, parseJson } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { setMember } from "../schema/mod.ts";
import { countMembers, jsonShape, repeatedKeys } from "./json_tree.ts";
import { surveyYaml } from "./yaml_survey.ts";

/** A text that is no YAML, in the words of Go's parser. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** YAML, read as Go reads it. */
export interface YamlDocument {
  readonly value: unknown;
  /** Keys that come twice in a map: `line 7: key "a" already set in map`. */
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
    if (jsonShape(text).members === countMembers(value)) return { value, duplicates: [] };
    return { value, duplicates: repeatedKeys(text).map(duplicateKey) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readAnyYaml(text: string): YamlDocument {
  const { duplicates, plain, tabLine } = surveyYaml(text);
  if (tabLine !== undefined) throw yamlError("found character that cannot start any token", tabLine);
  try {
    // The type of these options in the library lacks one that it has.
    const options: Parameters<typeof parse>[1] & { allowDuplicateKeys: boolean } = {
      schema: "core",
      allowDuplicateKeys: true,
    };
    return { value: asJson(parse(plain, options)), duplicates: duplicates.map(duplicateKey) };
  } catch (error) {
    if (error instanceof YamlError) throw error;
    throw asGoSays(errorText(error), plain);
  }
}

function duplicateKey({ key, line }: { readonly key: string; readonly line: number }): string {
  return `line ${line}: key ${goQuote(key)} already set in map`;
}

/** What a document holds as Go makes JSON of it: with sorted keys. */
function asJson(value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new YamlError(`json: unsupported value: ${Number.isNaN(value) ? "NaN" : value < 0 ? "-Inf" : "+Inf"}`);
  }
  if (Array.isArray(value)) return value.map(asJson);
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setMember(sorted, key, asJson(value[key]));
  return sorted;
}

/** What the library finds, and what Go's parser calls it. */
const WORDS: ReadonlyArray<readonly [found: RegExp, words: string]> = [
  [/within a (single|double) quoted scalar/, "found unexpected end of stream"],
  [/mapping pair is incomplete|bad indentation of a mapping entry/, "mapping values are not allowed in this context"],
  [/unknown escape sequence/, "found unknown escape character"],
  [/unexpected end of the stream within a flow collection/, "did not find expected ',' or ']'"],
  [/unidentified alias "([^"]*)"/, "unknown anchor '$1' referenced"],
];

function asGoSays(message: string, text: string): YamlError {
  const [, problem, line = "1"] = /^([\s\S]*?) at line (\d+)/.exec(message) ?? ["", message];
  for (const [found, words] of WORDS) {
    const match = found.exec(problem);
    if (!match) continue;
    const isOpen = words.startsWith("did not find");
    if (isOpen && /[[{,]\s*$/.test(text)) return yamlError("did not find expected node content", Number(line) - 1, 0);
    const said = words.replace("$1", match[1]);
    return match[0].includes("quoted") || match[0].startsWith("unidentified")
      ? yamlError(said)
      : yamlError(said, isOpen ? Number(line) - 1 : Number(line), isOpen ? 0 : 1);
  }
  const here = text.split("\n")[Number(line) - 1] ?? "";
  if (/(?:^|[:-]\s+)[@`%]/.test(here)) return yamlError("found character that cannot start any token", Number(line));
  if (/document separator is expected/.test(problem)) {
    return text.trimStart().startsWith("- ")
      ? yamlError("did not find expected '-' indicator", Number(line) - 1, 0)
      : yamlError("mapping values are not allowed in this context", Number(line));
  }
  return yamlError(problem, Number(line));
}

/** Go's parser does not name the lines up to `silent`. */
function yamlError(problem: string, line = 0, silent = 1): YamlError {
  return new YamlError(`yaml: ${line > silent ? `line ${line}: ` : ""}${problem}`);
}
