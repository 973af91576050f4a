import { ApiError, attempt, badRequest, isObject, type JsonObject, type RequestBody, translate } from "../base/mod.ts";
import {
  type Document,
  DocumentError,
  jsonDocument,
  type JsonTree,
  lookCloser,
  treeOfDocument,
} from "../decoding/mod.ts";
import { typeName } from "../schema/mod.ts";
import { type JsonPatchOperation, MOST_OPERATIONS } from "./json.ts";

const OPERATION_FIELDS = ["op", "path", "from", "value"];

/**
 * Reads a JSON patch with its strict decoding errors.
 *
 * @throws {ApiError} 400 if it is not valid, 413 if it has too many operations.
 */
export function operationsOf(
  body: RequestBody,
  isStrict: boolean,
): { readonly operations: readonly JsonPatchOperation[]; readonly strict: readonly string[] } {
  const document = readJson(body);
  const operations = document.value ?? [];
  if (!Array.isArray(operations)) throw undecodable(`it must be a list, not ${typeName(operations)}`);
  for (const [i, operation] of operations.entries()) {
    if (isObject(operation) || operation === null) continue;
    throw undecodable(`[${i}]: must be an object, not ${typeName(operation)}`);
  }
  if (operations.length > MOST_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${operations.length}`;
    throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
  }
  return { operations, strict: isStrict ? operationErrors(treeOfDocument(document)) : [] };
}

/** Unknown and duplicate fields of operations. */
function operationErrors(tree: JsonTree): string[] {
  if (tree.kind !== "array") return [];
  return tree.items.flatMap((item, i) => {
    if (item.kind !== "object") return [];
    const seen = new Set<string>();
    return item.members.flatMap(([name]) => {
      const path = JSON.stringify(`[${i}].${name}`);
      const isKnown = OPERATION_FIELDS.includes(name);
      const isAgain = seen.has(name);
      seen.add(name);
      if (isKnown) return isAgain ? [`json patch duplicate field ${path}`] : [];
      return isAgain ? [] : [`json patch unknown field ${path}`];
    });
  });
}

/**
 * Reads a merge patch with its strict decoding errors.
 *
 * @throws {ApiError} 400 if it is not valid.
 */
export function patchObject(
  body: RequestBody,
  isStrict: boolean,
): { readonly patch: JsonObject | readonly unknown[]; readonly strict: readonly string[] } {
  if (!isStrict) return { patch: readLoosely(body), strict: [] };
  const document = readJson(body);
  if (document.value === null) throw badRequest("Invalid JSON Patch");
  return { patch: asObject(document.value), strict: lookCloser(treeOfDocument(document), undefined).strict };
}

/**
 * Reads a strategic merge patch with its strict decoding errors.
 *
 * @throws {ApiError} 400 if it is not valid.
 */
export function strategicPatch(
  body: RequestBody,
  isStrict: boolean,
): { readonly patch: JsonObject; readonly strict: readonly string[] } {
  const document = readJson(body);
  const patch = asObject(document.value ?? {});
  return { patch, strict: isStrict ? lookCloser(treeOfDocument(document), undefined).strict : [] };
}

function asObject(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw undecodable(`it must be an object, not ${typeName(value)}`);
}

function readLoosely(body: RequestBody): JsonObject | readonly unknown[] {
  const value = attempt(() => jsonDocument(body.text()).value, DocumentError);
  if (isObject(value) || Array.isArray(value)) return value;
  throw badRequest("Invalid JSON Patch");
}

function readJson(body: RequestBody): Document {
  return translate(() => jsonDocument(body.text()), DocumentError, undecodable);
}

function undecodable(why: string): ApiError {
  return badRequest(`error decoding patch: ${why}`);
}
