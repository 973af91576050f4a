import { canonicalJson } from "../../../base/mod.ts";
import { isObject, type JsonObject, type RequestBody } from "../base/mod.ts";
import { PROTOBUF_TYPE, YAML_TYPE } from "../decoding/mod.ts";
import { rawText } from "../protobuf/mod.ts";
import type { ServedResource } from "./served.ts";

/**
 * Fields whose bytes the server keeps as they are sent, like Go's `runtime.RawExtension`: controllers compare the data
 * of ControllerRevisions byte by byte. A value that would not survive a round trip through a JavaScript object (with
 * keys like `10`, which JavaScript puts first, or characters that Go escapes) is stored as text under a key of its own.
 */

const TEXT = "\u0000text";
const STORED = /\{"\\u0000text":("(?:[^"\\]|\\.)*")\}/g;

/** Replaces the value of the kind's verbatim field with its text if it would not survive a round trip. */
export function keepVerbatim(object: JsonObject, served: ServedResource, body: RequestBody): void {
  const { verbatim } = served.traits;
  if (verbatim === undefined) return;
  const value = object[verbatim];
  if (!isObject(value)) return;
  const text = goText(textIn(body, served, verbatim) ?? canonicalJson(value));
  if (text !== JSON.stringify(value) || text.includes(`{"\\u0000text":`)) object[verbatim] = { [TEXT]: text };
}

/** Puts the text of the kind's verbatim field back into the object's JSON. */
export function withVerbatim(json: string, { traits }: ServedResource): string {
  return traits.verbatim ? json.replaceAll(STORED, (_, text) => JSON.parse(text)) : json;
}

/** The text in a body; `undefined` if it is generated from the value, as for YAML. */
function textIn(body: RequestBody, { struct }: ServedResource, field: string): string | undefined {
  if (body.mediaType === YAML_TYPE) return undefined;
  if (body.mediaType !== PROTOBUF_TYPE) return memberText(body.text(), field);
  return rawText(body.bytes(), struct?.fields.get(field)?.numbers ?? []);
}

/** JSON text as Go's encoder writes it: without white space, with HTML's special characters escaped. */
function goText(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"?|\s+/g, (found) => found.startsWith('"') ? found : "")
    .replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The text of a member of a JSON object; the last one if there are several. */
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
