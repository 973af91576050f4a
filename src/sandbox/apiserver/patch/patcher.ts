import { deepCopy } from "../../../base/mod.ts";
import { ApiError, badRequest, invalid, isObject, type JsonObject, type RequestBody } from "../base/mod.ts";
import {
  addStrictWarnings,
  decodeDocument,
  type Document,
  DocumentError,
  jsonDocument,
  keepReset,
  readAsGo,
  type Strictness,
  strictText,
  type Target,
  treeOfDocument,
  typeMetaOf,
} from "../decoding/mod.ts";
import { DecodeError, type Findings, normalise, structOf } from "../schema/mod.ts";
import { FieldErrors, goText, patchedText } from "../validation/mod.ts";
import { applyJsonPatch, JsonPatchError, type JsonPatchOperation } from "./json.ts";
import { mergePatch } from "./merge.ts";
import { operationsOf, patchObject } from "./read_patch.ts";
import { strategicMerge } from "./strategic.ts";
import { conversionError } from "./unstructured.ts";

export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";

const METADATA = structOf("meta.v1.ObjectMeta")!;

/**
 * The object that a patch makes of another, read into its type. Upstream: `apiserver/pkg/endpoints/handlers/patch.go`
 * (jsonPatcher, smpPatcher).
 *
 * @param current The object as clients see it.
 * @throws {ApiError} 400, 413 or 422 if the patch is malformed or what it makes does not fit the type.
 */
export function patchedObject(
  current: JsonObject,
  body: RequestBody,
  { target, rules }: { readonly target: Target; readonly rules: Strictness },
): JsonObject {
  const isStrict = rules.fieldValidation !== "Ignore";
  switch (body.mediaType) {
    case STRATEGIC_MERGE_PATCH:
      return strategicallyPatched(current, body, target, rules);
    case JSON_PATCH: {
      const { operations, strict } = operationsOf(body, isStrict);
      return readOutcome(current, (object, touched) => jsonPatched(object, operations, touched), {
        strict,
        target,
        rules,
      });
    }
    default: {
      const { patch, strict } = patchObject(body, isStrict);
      return readOutcome(current, (object, touched) => mergePatch(object, patch, touched), { strict, target, rules });
    }
  }
}

function jsonPatched(object: JsonObject, operations: readonly JsonPatchOperation[], touched?: Set<unknown>): unknown {
  try {
    return applyJsonPatch(deepCopy(object), operations, touched);
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}

interface Reading {
  readonly strict: readonly string[];
  readonly target: Target;
  readonly rules: Strictness;
}

/** Reads what a JSON or merge patch makes of `current` into its type. */
function readOutcome(
  current: JsonObject,
  apply: (object: JsonObject, touched?: Set<unknown>) => unknown,
  { strict, target, rules }: Reading,
): JsonObject {
  const document: Document = { value: apply(current), yamlDuplicates: [] };
  const isStrict = rules.fieldValidation !== "Ignore";
  try {
    const decoded = decodeDocument(document, typeMetaOf(document.value, target), target, isStrict);
    const all = [...strict, ...decoded.strict];
    if (all.length > 0 && rules.fieldValidation === "Strict") throw new DocumentError(strictText(all));
    addStrictWarnings(all, rules.warnings);
    return decoded.object;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    // Once more, on the object in the order in which upstream writes it: the message shows all of it.
    const touched = new Set<unknown>();
    const outcome = apply(inGoOrder(current), touched);
    throw invalidPatch(patchedText(outcome, touched), error.message);
  }
}

function inGoOrder(object: JsonObject): JsonObject {
  return { ...object, metadata: normalise(object.metadata, METADATA, undefined, "metadata") };
}

function strategicallyPatched(current: JsonObject, body: RequestBody, target: Target, rules: Strictness): JsonObject {
  const { document, patch } = strategicPatch(body);
  const isStrict = rules.fieldValidation !== "Ignore";
  const value = strategicMerge(current, patch, target.struct);
  const findings: Findings = { unknown: [] };
  let object: JsonObject;
  try {
    object = normalise(value, target.struct!, findings);
    keepReset(value, object);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidPatch(goText(patch), conversionError(value, target.struct!) ?? error.message);
  }
  if (!isStrict) return object;
  const unknown = findings.unknown.map((field) => `unknown field ${JSON.stringify(field)}`).sort();
  const strict = [...readAsGo(treeOfDocument(document), undefined).strict, ...unknown];
  if (strict.length > 0 && rules.fieldValidation === "Strict") throw invalidPatch(goText(patch), strictText(strict));
  addStrictWarnings(strict, rules.warnings);
  return object;
}

function strategicPatch(body: RequestBody): { document: Document; patch: JsonObject } {
  try {
    const document = jsonDocument(body.text());
    const value = document.value ?? {};
    if (isObject(value)) return { document, patch: value };
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw badRequest(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  } catch (error) {
    if (error instanceof DocumentError) throw badRequest(error.message);
    throw error;
  }
}

/** The outcome of a patch is not an object of its type. */
function invalidPatch(outcome: string, why: string): ApiError {
  const errors = new FieldErrors();
  errors.invalid("patch", outcome, why);
  return invalid({ group: "", plural: "", kind: "" }, "", errors.causes);
}
