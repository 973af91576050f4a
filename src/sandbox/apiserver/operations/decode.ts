import type { StoredObject } from "../../storage/mod.ts";
import { badRequest, type JsonObject, type RequestBody } from "../base/mod.ts";
import { decodeBody, decodeDocument, DocumentError, type Target, typeMetaOf } from "../decoding/mod.ts";
import type { Operation } from "./operation.ts";
import { DecodeError, normalise, normaliseOwn } from "../schema/mod.ts";
import { keepVerbatim, type ServedResource } from "../resources/mod.ts";

/**
 * The object in a request's body as it would be stored: of the right kind, unknown fields handled as the request says,
 * normalised, converted to the stored version and defaulted.
 *
 * @throws {ApiError} 400 if the body is of another kind or does not fit the type.
 */
export function decodeRequest(operation: Operation, body: RequestBody): StoredObject {
  const { served } = operation;
  const object = decodeBody(body, targetOf(served), operation);
  keepVerbatim(object, served, body);
  return toStored(operation, object);
}

/**
 * As {@link decodeRequest}, for an object that the server itself makes.
 *
 * @throws {ApiError} 400 if it is of another kind or does not fit the type.
 */
export function decodeObject(operation: Operation, value: Readonly<Record<string, unknown>>): StoredObject {
  const { served } = operation;
  try {
    if (served.custom) return served.custom.version.complete(value);
    const target = targetOf(served);
    return toStored(
      operation,
      decodeDocument({ value, yamlDuplicates: [] }, typeMetaOf(value, target), target, false).object,
    );
  } catch (error) {
    if (error instanceof DocumentError || error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

const targets = new WeakMap<ServedResource, Target>();

/** What a body of the kind has to be. */
export function targetOf(served: ServedResource): Target {
  const { custom } = served;
  if (!custom) return served;
  let target = targets.get(served);
  if (!target) {
    const { group, version, kind } = served;
    const read = (body: Readonly<JsonObject>, unknown: string[]) => custom.version.read(body, unknown);
    targets.set(served, target = { group, version, kind, read });
  }
  return target;
}

/** An object that was read into the served version's type, as it is stored. */
export function toStored({ served, state }: Operation, object: JsonObject): StoredObject {
  const { conversion, storageStruct } = served;
  const stored = conversion && storageStruct
    ? normalise(conversion.toStorage(withMetadata(object)), storageStruct)
    : object;
  const result = withMetadata(stored);
  served.traits.defaults?.(result, served.gates, state);
  return result;
}

/** Every type that is stored has metadata, and reading fills it in. */
function withMetadata(object: JsonObject): StoredObject {
  object.metadata ??= {};
  return object as StoredObject;
}

/** Gives an object that the server has added to its final form: fields in Go order, what Go writes even when empty present. */
export function canonicalise(served: ServedResource, object: StoredObject): void {
  const struct = served.storageStruct ?? served.struct;
  if (!struct) return;
  const written = normaliseOwn(object, struct);
  if (written === object) return;
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, written);
}
