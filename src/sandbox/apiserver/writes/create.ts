import { generateName, joinKey, type ObjectMeta, type StatusCause } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { admit, awaitDefaultAccount, validateAdmission } from "../admission/mod.ts";
import { alreadyExists, ApiError, badRequest, forbidden, invalid } from "../base/mod.ts";
import { recordCreate } from "../apply/mod.ts";
import { normalise } from "../schema/mod.ts";
import { findCreateErrors, nowText } from "../traits/mod.ts";
import { canonicalise, type Operation } from "../operations/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import { withWebhooks } from "../webhooks/mod.ts";
import { dropDuplicateOwners } from "./duplicate_owners.ts";

/** How many names are tried for a `generateName`. */
const NAME_ATTEMPTS = 8;

/**
 * Stores a new object. Upstream: `apiserver/pkg/registry/generic/registry/store.go` (Create) and `rest/create.go`.
 *
 * @param object Decoded and defaulted; it becomes the stored object.
 * @throws {ApiError} 409 if the name is taken, 403 if admission refuses, 422 if the object is invalid.
 */
export async function createObject(operation: Operation, object: StoredObject): Promise<StoredObject> {
  await awaitDefaultAccount(operation, object);
  return await withWebhooks(
    operation,
    // The write changes the object, and may have to be repeated after webhooks are called.
    (operation) => createNow(operation, operation.webhooks ? deepCopy(object) : object),
  );
}

/**
 * Like {@link createObject}, for kinds whose admission never waits.
 *
 * @param keepsManagers Whether the object has its field owners already.
 */
export function createNow(operation: Operation, object: StoredObject, keepsManagers = false): StoredObject {
  const { state: { store }, served } = operation;
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  // The creator owns what was sent and defaulted, not what admission adds.
  if (!keepsManagers) recordCreate(operation, object);
  fillMetadata(operation, object);
  if (served.custom?.isTerminating) {
    const why = "create not allowed while custom resource definition is terminating";
    throw forbidden(served, object.metadata.name ?? "", why);
  }
  const admission = { operation, moment: "create", object } as const;
  admit(admission);
  if (!object.metadata.name && object.metadata.generateName) object.metadata.name = freshName(operation, object);
  resetStatus(operation, object);
  served.traits.prepareCreate?.(object, operation);
  if (served.traits.generation) object.metadata.generation = 1;
  served.traits.defaults?.(object, served.gates, operation.state);
  canonicalise(served, object);
  const { causes } = findCreateErrors(object, served.traits);
  if (causes.length > 0) throw invalidObject(served, object, causes);
  for (const text of served.traits.warnings?.(object, undefined) ?? []) operation.warnings.add(text);
  const commit = validateAdmission(admission);
  const key = joinKey(object.metadata.namespace, object.metadata.name!);
  const holder = store.get(served.collection, key);
  if (holder) throw nameTaken(operation, object, holder);
  if (operation.dryRun) return object;
  commit();
  const stored = store.put(served.collection, key, served.custom?.version.stored(object) ?? object);
  served.traits.afterWrite?.(stored, undefined, operation);
  return stored;
}

function fillMetadata(operation: Operation, object: StoredObject): void {
  const { state, served, namespace } = operation;
  const { metadata } = object;
  if (metadata.resourceVersion) {
    throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
  }
  checkNamespace(operation, object);
  if (served.namespaced) metadata.namespace = namespace;
  metadata.uid = state.world.random.uuid();
  metadata.creationTimestamp = nowText(state);
  delete metadata.selfLink;
  dropDuplicateOwners(operation, object);
  addFinalizers(metadata, served.traits.finalizers);
}

export function addFinalizers(metadata: ObjectMeta, finalizers: readonly string[] = []): void {
  const missing = finalizers.filter((finalizer) => !metadata.finalizers?.includes(finalizer));
  if (missing.length > 0) metadata.finalizers = [...metadata.finalizers ?? [], ...missing];
}

/** The namespace in the body, if any, must equal the URL's; it is removed from cluster-scoped objects. */
export function checkNamespace({ served, namespace }: Operation, { metadata }: StoredObject): void {
  if (!metadata.namespace) return;
  if (!served.namespaced) delete metadata.namespace;
  else if (metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

function freshName({ state: { store, world }, served }: Operation, { metadata }: StoredObject): string {
  const prefix = metadata.generateName!;
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    const name = generateName(prefix, world.random);
    if (!store.get(served.collection, joinKey(metadata.namespace, name))) return name;
  }
  const { code, reason, message, details } = alreadyExists(served, prefix);
  throw new ApiError(code, reason, message, { ...details, retryAfterSeconds: 1 });
}

/** A create does not set the status if it is a subresource, since controllers write it. */
function resetStatus({ served }: Operation, object: StoredObject): void {
  if (!served.served.has("status") || served.traits.keepsStatusOnCreate) return;
  const type = (served.storageStruct ?? served.struct)?.fields.get("status")?.type;
  if (type?.kind === "struct") object.status = normalise({}, type.struct);
  else delete object.status;
}

/** Validation failed with `causes`. The error names the group that stores the kind, as upstream's does. */
export function invalidObject(
  { kind, plural, collection }: ServedResource,
  { metadata }: StoredObject,
  causes: readonly StatusCause[],
): ApiError {
  return invalid({ kind, plural, group: collection.slice(plural.length + 1) }, metadata.name ?? "", causes);
}

function nameTaken({ served }: Operation, object: StoredObject, holder: StoredObject): ApiError {
  const error = alreadyExists(served, object.metadata.name!);
  if (!holder.metadata.deletionTimestamp) return error;
  return new ApiError(error.code, error.reason, `object is being deleted: ${error.message}`, error.details);
}
