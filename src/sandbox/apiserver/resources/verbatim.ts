import { canonicalJson } from "../../../base/mod.ts";
import { isObject, type JsonObject, type RequestBody } from "../base/mod.ts";
import { PROTOBUF_TYPE, YAML_TYPE } from "../decoding/mod.ts";
import { rawText } from "../protobuf/mod.ts";
import type { ServedResource } from "./served.ts";

/**
 * Fields of which the server keeps the bytes just as they come, as Go's `runtime.RawExtension` does: controllers compare
 * the data of ControllerRevisions byte by byte. A value that JSON made of the object would give otherwise (with keys like
 * `10`, which JavaScript puts first, or with characters that Go escapes) is stored as its text, under a key of its own.
 */

const TEXT = "\u0000text";
const STORED = /\{"\\u0000text":("(?:[^"\\]|\\.)*")\}/g;

/** Replaces the value of the kind's verbatim field by its text, if it could not be written the same again. */
export function keepVerbatim(object: JsonObject, served: ServedResource, body: RequestBody): void {
  const { verbatim } = served.traits;
  if (verbatim === undefined) return;
  const value = object[verbatim];
  if (!isObject(value)) return;
  const text = goText(textIn(body, served, verbatim) ?? canonicalJson(value));
  if (text !== JSON.stringify(value) || text.includes(`{"\\u0000text":`)) object[verbatim] = { [TEXT]: text };
}

/** Puts the text of the kind's verbatim field back into an object that was put into JSON. */
export function withVerbatim(json: string, { traits }: ServedResource): string {
  return traits.verbatim ? json.replaceAll(STORED, (_, text) => JSON.parse(text)) : json;
}

/** The text in a body; `undefined` where it is made anew from the value, as from YAML. */
function textIn(body: RequestBody, { struct }: ServedResource, field: string): string | undefined {
  if (body.mediaType === YAML_TYPE) return undefined;
  if (body.mediaType !== PROTOBUF_TYPE) return memberText(body.text(), field);
  return rawText(body.bytes(), struct?.fields.get(field)?.numbers ?? []);
}

/** As Go's encoder writes text that is JSON already: without white space, with what HTML minds escaped. */
function goText(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"?|\s+/g, (found) => found.startsWith('"') ? found : "")
    .replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The text of a member of a JSON object; of the last one, should several have the name. */
function memberText(json: string, name: string): string | undefined {
  let depth = 0;
  let key: string | undefined;
  let start = -1;
  let found: string | undefined;
  for (const { 0: token, index } of json.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\]:,]/g)) {
    if (depth === 1 && (token === "," || token === "}") && start >= 0) {
      found = json.slice(start, index);
      start = -1;
    }
    if (depth === 1 && token === ":" && key === name) start = index + 1;
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (token.startsWith('"')) key = depth === 1 && start < 0 ? JSON.parse(token) : undefined;
    else key = undefined;
  }
  return found;
}
