import { deepCopy, deepEqual, stringifyJson } from "../../../base/mod.ts";
import { isTooDeep } from "../decoding/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { setMember } from "../schema/mod.ts";

/** An operation of a JSON patch. A missing value is null. */
export interface JsonPatchOperation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

export const MOST_OPERATIONS = 10_000;
/** The most that all copies together may add, in characters of JSON. Upstream: `AccumulatedCopySizeLimit`. */
const MOST_COPIED = 3 * 1024 * 1024;

/** A patch that cannot be applied. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
}

/** A container and a key in it. */
interface Place {
  readonly container: JsonObject | unknown[];
  readonly key: string;
}

/**
 * Applies a JSON Patch to `target`, which is changed. Where upstream's library departs from the RFC, so does this:
 * `replace` adds a missing member, and a path need not begin with a slash. Upstream: `gopkg.in/evanphx/json-patch.v4`.
 *
 * @throws {JsonPatchError} If an operation fails, or the result is nested too deeply.
 */
export function applyJsonPatch(target: unknown, patch: readonly JsonPatchOperation[]): unknown {
  let document = target;
  let copied = 0;
  for (const { op, path, from, value = null } of patch) {
    if (typeof path !== "string") throw new JsonPatchError("operation missing path field");
    if (op === "replace" && path === "") {
      if (!isContainer(value)) throw new JsonPatchError("replace operation value must be object or array");
      document = deepCopy(value);
      continue;
    }
    if (op === "test" && path === "") {
      if (!deepEqual(document, value)) throw new JsonPatchError("testing value failed");
      continue;
    }
    const place = (text: string) => placeOf(document, text);
    if (op === "copy" && typeof from === "string") {
      copied += stringifyJson(read(place(from)) ?? null).length;
      if (copied > MOST_COPIED) {
        const why = `is ${copied}, exceeding the limit ${MOST_COPIED}`;
        throw new JsonPatchError(`the accumulated size increase of copy operations ${why}`);
      }
    }
    operate(place, { op, path, from, value });
  }
  if (isTooDeep(document)) throw new JsonPatchError("the patch makes an object that is nested too deep");
  return document;
}

function operate(
  place: (path: string) => Place,
  { op, path, from, value }: { op: unknown; path: string; from: unknown; value: unknown },
): void {
  switch (op) {
    case "add":
      return add(place(path), deepCopy(value));
    case "remove":
      return void remove(place(path));
    case "replace":
      return replace(place(path), deepCopy(value));
    case "test":
      return test(place(path), value);
    case "move":
    case "copy": {
      if (typeof from !== "string") throw new JsonPatchError("operation, missing from field");
      const source = place(from);
      const found = read(source);
      if (op === "move") remove(source);
      return add(place(path), (op === "move" ? found : deepCopy(found)) ?? null);
    }
  }
  throw new JsonPatchError(`Unexpected kind: ${op}`);
}

function isContainer(value: unknown): value is JsonObject | unknown[] {
  return isObject(value) || Array.isArray(value);
}

function placeOf(document: unknown, path: string): Place {
  const [, ...keys] = path.split("/").map(unescaped);
  const key = keys.pop();
  let container = document;
  for (const step of keys) container = isContainer(container) ? read({ container, key: step }) : undefined;
  if (key === undefined || !isContainer(container)) throw new JsonPatchError(`doc is missing path: ${path}`);
  return { container, key };
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** An index into a list of `length` items; negative ones count from the end. */
function indexOf(key: string, length: number): number {
  if (!/^[+-]?\d{1,15}$/.test(key)) throw new JsonPatchError(`value was not a proper array index: '${key}'`);
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  if (index < 0 || index >= length) throw new JsonPatchError(`Unable to access invalid index: ${key}`);
  return index;
}

function read({ container, key }: Place): unknown {
  if (Array.isArray(container)) return container[indexOf(key, container.length)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function add({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) return setMember(container, key, value);
  if (key === "-") container.push(value);
  else container.splice(indexOf(key, container.length + 1), 0, value);
}

function replace({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) return setMember(container, key, value);
  container[indexOf(key, container.length)] = value;
}

function remove({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(indexOf(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw new JsonPatchError(`Unable to remove nonexistent key: ${key}`);
}

function test(place: Place, value: unknown): void {
  const found = read(place);
  // Null equals a missing member, but not one that is null.
  if (found === undefined ? value === null : found !== null && deepEqual(found, value)) return;
  throw new JsonPatchError(`testing value failed`);
}
