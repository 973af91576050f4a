import { deepCopy } from "../../../base/mod.ts";
import { ApiError, invalid, type JsonObject, type RequestBody, translate } from "../base/mod.ts";
import {
  decodeDocument,
  DocumentError,
  heedStrict,
  keepReset,
  type Strictness,
  type Target,
  typeMetaOf,
} from "../decoding/mod.ts";
import { DecodeError, type Findings, normalise } from "../schema/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import { applyJsonPatch, JsonPatchError, type JsonPatchOperation } from "./json.ts";
import { mergePatch } from "./merge.ts";
import { operationsOf, patchObject, strategicPatch } from "./read_patch.ts";
import { strategicMerge } from "./strategic.ts";

export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";

/**
 * Applies a patch to an object and decodes the result. Upstream: `apiserver/pkg/endpoints/handlers/patch.go`
 * (jsonPatcher, smpPatcher).
 *
 * @param current The object as clients see it.
 * @throws {ApiError} 400, 413 or 422 if the patch is malformed or its result does not fit the type.
 */
export function patchedObject(
  current: JsonObject,
  body: RequestBody,
  { target, rules }: { readonly target: Target; readonly rules: Strictness },
): JsonObject {
  const isStrict = rules.fieldValidation !== "Ignore";
  switch (body.mediaType) {
    case STRATEGIC_MERGE_PATCH: {
      const { patch, strict } = strategicPatch(body, isStrict);
      return strategicallyPatched(current, patch, { strict, target, rules });
    }
    case JSON_PATCH: {
      const { operations, strict } = operationsOf(body, isStrict);
      return readOutcome(jsonPatched(current, operations), { strict, target, rules });
    }
    default: {
      const { patch, strict } = patchObject(body, isStrict);
      return readOutcome(mergePatch(current, patch), { strict, target, rules });
    }
  }
}

function jsonPatched(object: JsonObject, operations: readonly JsonPatchOperation[]): unknown {
  const refused = () =>
    new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  return translate(() => applyJsonPatch(deepCopy(object), operations), JsonPatchError, refused);
}

interface Reading {
  readonly strict: readonly string[];
  readonly target: Target;
  readonly rules: Strictness;
}

/** Decodes the result of a JSON or merge patch. */
function readOutcome(outcome: unknown, { strict, target, rules }: Reading): JsonObject {
  const document = { value: outcome, yamlDuplicates: [] };
  const isStrict = rules.fieldValidation !== "Ignore";
  const read = () => {
    const decoded = decodeDocument(document, typeMetaOf(outcome, target), target, isStrict);
    heedStrict([...strict, ...decoded.strict], rules);
    return decoded.object;
  };
  return translate(read, DocumentError, (why) => invalidPatch(outcome, why));
}

function strategicallyPatched(
  current: JsonObject,
  patch: JsonObject,
  { strict, target, rules }: Reading,
): JsonObject {
  const value = strategicMerge(current, patch, target.struct);
  const findings: Findings = { unknown: [] };
  try {
    const object = normalise(value, target.struct!, findings);
    keepReset(value, object);
    if (rules.fieldValidation === "Ignore") return object;
    const unknown = findings.unknown.map((field) => `unknown field ${JSON.stringify(field)}`).sort();
    heedStrict([...strict, ...unknown], rules);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof DocumentError)) throw error;
    throw invalidPatch(patch, error.message);
  }
}

/** The result of a patch does not fit its type. */
function invalidPatch(outcome: unknown, why: string): ApiError {
  const errors = new FieldErrors();
  errors.invalid("patch", outcome, why);
  return invalid({ group: "", plural: "", kind: "" }, "", errors.causes);
}
