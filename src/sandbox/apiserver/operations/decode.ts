import type { StoredObject } from "../../storage/mod.ts";
import { badRequest, type JsonObject, type RequestBody, translate } from "../base/mod.ts";
import { decodeBody, decodeDocument, DocumentError, type Target, typeMetaOf } from "../decoding/mod.ts";
import type { Operation } from "./operation.ts";
import { DecodeError, normalise, normaliseOwn } from "../schema/mod.ts";
import { keepVerbatim, type ServedResource } from "../resources/mod.ts";

/**
 * The object in a request's body in its stored form: checked to be of the right kind, with unknown fields treated as
 * requested, normalised, converted to the stored version and defaulted.
 *
 * @throws {ApiError} 400 if the body is of another kind or does not fit its type.
 */
export function decodeRequest(operation: Operation, body: RequestBody): StoredObject {
  const { served } = operation;
  const object = decodeBody(body, targetOf(served), operation);
  keepVerbatim(object, served, body);
  return toStored(operation, object);
}

/**
 * Like {@link decodeRequest}, for an object that the server itself creates.
 *
 * @throws {ApiError} 400 if it is of another kind or does not fit its type.
 */
export function decodeObject(operation: Operation, value: Readonly<Record<string, unknown>>): StoredObject {
  const { served } = operation;
  if (served.custom) {
    const { version } = served.custom;
    return translate(() => version.complete(value), DecodeError, badRequest);
  }
  const target = targetOf(served);
  const document = { value, yamlDuplicates: [] };
  const decode = () => decodeDocument(document, typeMetaOf(value, target), target, false).object;
  return toStored(operation, translate(decode, DocumentError, badRequest));
}

const targets = new WeakMap<ServedResource, Target>();

/** What a body of the kind must be. */
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

/** The stored form of an object that was decoded into the served version. */
export function toStored({ served, state }: Operation, object: JsonObject): StoredObject {
  const { conversion, storageStruct } = served;
  const stored = conversion && storageStruct
    ? normalise(conversion.toStorage(withMetadata(object)), storageStruct)
    : object;
  const result = withMetadata(stored);
  served.traits.defaults?.(result, served.gates, state);
  return result;
}

/** Every stored type has metadata, and decoding adds it. */
function withMetadata(object: JsonObject): StoredObject {
  object.metadata ??= {};
  return object as StoredObject;
}

/** Finishes an object that the server has added to: fields in Go's order, including empty ones that Go writes. */
export function canonicalise(served: ServedResource, object: StoredObject): void {
  const struct = served.storageStruct ?? served.struct;
  if (!struct) return;
  const written = normaliseOwn(object, struct);
  if (written === object) return;
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, written);
}
