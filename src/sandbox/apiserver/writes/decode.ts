import { apiVersionOf, parseApiVersion } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { ApiError, badRequest } from "../errors.ts";
import type { Operation } from "../operation.ts";
import { DecodeError, type Findings, normalise } from "../schema/normalise.ts";
import { structOf, type StructType } from "../schema/types.ts";
import type { ServedResource } from "../served.ts";

const METADATA = structOf("meta.v1.ObjectMeta")!;

/**
 * The object in a request body as it would be stored: of the right kind, unknown fields handled as the request says,
 * normalised, converted to the stored version and defaulted.
 *
 * @throws {ApiError} 400 if the body is of another kind or does not fit the type.
 */
export function decodeObject(operation: Operation, body: Readonly<Record<string, unknown>>): StoredObject {
  const { served } = operation;
  checkKind(served, body);
  const findings: Findings = { unknown: [] };
  const object = readFields(served, body, findings);
  reportUnknown(operation, findings.unknown);
  served.traits.defaults?.(object);
  return object;
}

function readFields(served: ServedResource, body: Readonly<Record<string, unknown>>, findings: Findings): StoredObject {
  try {
    if (!served.struct) return readCustom(body, findings);
    const object = asStored(normalise(body, served.struct, findings));
    if (!served.conversion || !served.storageStruct) return object;
    return asStored(normalise(served.conversion.toStorage(object), served.storageStruct));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw cannotHandle(served, error.message);
  }
}

/** Gives an object that the server has added to its final form: fields in Go order, what Go writes even when empty present. */
export function canonicalise(served: ServedResource, object: StoredObject): void {
  const struct = served.storageStruct ?? served.struct;
  if (!struct) return;
  const written = normalise(object, struct);
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, written);
}

/** Every type that is stored has metadata, and normalising fills it in. */
function asStored(object: Record<string, unknown>): StoredObject {
  return object as StoredObject;
}

/** Reads a value of a type that is not a resource of its own, such as a Scale or an Eviction. */
export function decodeAs(body: unknown, struct: StructType): Record<string, unknown> {
  try {
    return normalise(body, struct);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(error.message);
  }
}

/** Custom resources have no Go type: everything but metadata stays as it was sent. */
function readCustom(body: Readonly<Record<string, unknown>>, findings: Findings): StoredObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = body;
  return { metadata: normalise(metadata ?? {}, METADATA, findings, "metadata"), ...deepCopy(rest) };
}

function checkKind(served: ServedResource, body: Readonly<Record<string, unknown>>): void {
  const { apiVersion, kind } = body;
  const wanted = apiVersionOf(served);
  if (typeof apiVersion === "string" && apiVersion !== "" && apiVersion !== wanted) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`,
    );
  }
  if (kind === undefined || kind === "" || kind === served.kind) return;
  const { version } = parseApiVersion(wanted);
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${served.kind}: no kind match`);
}

function reportUnknown({ served, fieldValidation, warnings }: Operation, unknown: readonly string[]): void {
  if (unknown.length === 0 || fieldValidation === "Ignore") return;
  const texts = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
  if (fieldValidation === "Strict") throw cannotHandle(served, `strict decoding error: ${texts.join(", ")}`);
  for (const text of texts) warnings.add(text);
}

function cannotHandle({ kind, version }: ServedResource, why: string): ApiError {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}
