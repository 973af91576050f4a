import { apiVersionOf, joinKey } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { prepareAdmission } from "../admission/mod.ts";
import { applyObject } from "../apply/apply.ts";
import { parseText, readBody } from "../body.ts";
import { ApiError, badRequest, invalid, unsupportedMediaType } from "../errors.ts";
import { answerObject, type Exchange, operationOf } from "../exchange.ts";
import { isObject } from "../json.ts";
import type { Operation } from "../operation.ts";
import { applyJsonPatch } from "../patch/json.ts";
import { mergePatch } from "../patch/merge.ts";
import { strategicMerge } from "../patch/strategic.ts";
import type { StructType } from "../schema/types.ts";
import { changeThrough } from "../subresources/changes.ts";
import { FieldErrors } from "../validation/field_errors.ts";
import { decodeObject } from "../writes/decode.ts";
import { updateObject } from "../writes/update.ts";

const APPLY = "application/apply-patch+yaml";

/** A patch body, read. */
export interface PatchBody {
  readonly mediaType: string;
  readonly value: unknown;
}

export async function readPatch(request: Request): Promise<PatchBody> {
  const { text, mediaType } = await readBody(request);
  return { mediaType, value: parseText(text, mediaType === APPLY) };
}

/**
 * What a patch makes of an object.
 *
 * @param struct The object's type; `undefined` refuses strategic merge patches.
 * @throws {ApiError} 415 for a media type that is no patch, 400 or 422 if the patch cannot be applied.
 */
export function patched(
  target: object,
  { mediaType, value }: PatchBody,
  struct: StructType | undefined,
): Record<string, unknown> {
  const result = patchedValue(target, mediaType, value, struct);
  if (isObject(result)) return result;
  throw badRequest("the patch does not leave an object");
}

function patchedValue(target: object, mediaType: string, value: unknown, struct: StructType | undefined): unknown {
  switch (mediaType) {
    case "application/json-patch+json":
      return applyJsonPatch(target, value);
    case "application/merge-patch+json":
      return mergePatch(target, value);
    case "application/strategic-merge-patch+json":
      if (!struct) break;
      if (!isObject(value)) throw badRequest("a strategic merge patch must be an object");
      return strategicMerge({ ...target }, value, struct);
  }
  const types = ["application/json-patch+json", "application/merge-patch+json"];
  if (struct) types.push("application/strategic-merge-patch+json");
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${[...types, APPLY].join(", ")}`,
  );
}

export async function handlePatch(exchange: Exchange): Promise<Response> {
  const operation = operationOf(exchange);
  const patch = await readPatch(exchange.request);
  if (patch.mediaType === APPLY) return await handleApply(exchange, operation, patch.value);
  const { served } = operation;
  const { name, subresource } = exchange.route;
  const change = (old: StoredObject | undefined) => {
    const object = decodePatched(operation, patched(inServedVersion(operation, old!), patch, served.struct));
    return changeThrough(operation, subresource, object, old!);
  };
  const { object } = updateObject(operation, name, change, { subresource, isPatch: true });
  return answerObject(exchange, object, { warnings: operation.warnings });
}

/** Reads what a patch has made. What would be a bad request in a body is an invalid patch here, as upstream has it. */
function decodePatched(operation: Operation, body: Readonly<Record<string, unknown>>): StoredObject {
  try {
    return decodeObject(operation, body);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "BadRequest")) throw error;
    const errors = new FieldErrors();
    errors.invalid("patch", JSON.stringify(body), error.message);
    throw invalid({ group: "", plural: "", kind: "" }, "", errors.causes);
  }
}

/** The object as clients see it. */
function inServedVersion({ served }: Operation, object: StoredObject): StoredObject {
  const converted = served.conversion ? served.conversion.fromStorage(object) : object;
  return { apiVersion: apiVersionOf(served), kind: served.kind, ...converted };
}

async function handleApply(exchange: Exchange, operation: Operation, body: unknown): Promise<Response> {
  const { route, query, state } = exchange;
  const { served, namespace } = operation;
  const { name, subresource } = route;
  checkApply(exchange, body);
  const force = query.get("force") === "true";
  const change = (old: StoredObject | undefined) => {
    const live = old && inServedVersion(operation, old);
    const object = applyObject(operation, live, {
      body,
      force,
      subresource,
      decode: (merged) => decodeObject(operation, merged),
    });
    return old ? changeThrough(operation, subresource, object, old) : object;
  };
  if (!state.store.get(served.collection, joinKey(namespace, name))) {
    await prepareAdmission(operation, decodeObject(operation, body));
  }
  const options = { subresource, isPatch: true, recordsOwnership: true };
  const { object, created } = updateObject(operation, name, change, options);
  return answerObject(exchange, object, { status: created ? 201 : 200, warnings: operation.warnings });
}

function checkApply({ query, route }: Exchange, body: unknown): asserts body is Record<string, unknown> {
  if (!query.get("fieldManager")) {
    const subject = { group: "meta.k8s.io", plural: route.served.plural, kind: "PatchOptions" };
    const message = "Required value: is required for apply patch";
    throw invalid(subject, "", [{ reason: "FieldValueRequired", message, field: "fieldManager" }]);
  }
  if (!isObject(body)) throw badRequest("an apply patch must be an object");
  if (!body.apiVersion || !body.kind) throw badRequest("an apply patch must name its apiVersion and kind");
  const { metadata } = body;
  if (isObject(metadata) && metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
}
