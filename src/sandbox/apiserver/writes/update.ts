import { joinKey } from "../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { admitUpdate } from "../admission/mod.ts";
import { recordUpdate } from "../apply/managed.ts";
import { badRequest, conflict, invalid, modified, notFound } from "../errors.ts";
import type { Operation } from "../operation.ts";
import { FieldErrors } from "../validation/field_errors.ts";
import { validateMetadata, validateMetadataUpdate } from "../validation/metadata.ts";
import { checkNamespace, createNow, dropDuplicateOwners } from "./create.ts";
import { canonicalise } from "./decode.ts";

/** How an update came in. */
export interface UpdateOptions {
  /** Empty for the main resource. */
  readonly subresource?: string;
  /** A patch answers a wrong uid with 422 and may not change the name; a PUT answers it with 409. */
  readonly isPatch?: boolean;
  /** Set by apply, which records its own ownership. */
  readonly recordsOwnership?: boolean;
}

/** Subresources (empty: the main one) through which a change of the spec counts. */
const RAISING = ["", "scale", "ephemeralcontainers", "resize"];

/** An update's outcome. */
export interface Updated {
  readonly object: StoredObject;
  readonly created: boolean;
}

/**
 * Replaces an object by what `change` makes of it, in one step. Upstream: `generic/registry/store.go` (Update) and
 * `rest/update.go`.
 *
 * @param change Gets the stored (frozen) object and returns a new one, decoded and defaulted.
 * @throws {ApiError} 404, 409 for a stale resourceVersion, 422 if the result is invalid.
 */
export function updateObject(
  operation: Operation,
  name: string,
  change: (old: StoredObject | undefined) => StoredObject,
  options: UpdateOptions = {},
): Updated {
  const { state: { store }, served } = operation;
  const old = store.get(served.collection, joinKey(operation.namespace, name));
  if (!old) return createMissing(operation, name, change, options);
  const object = change(old);
  checkIdentity(operation, object, old, options);
  keepSystemMetadata(object, old);
  if (options.subresource === "status") keepAllButStatus(operation, object, old);
  else if (!options.subresource) prepareMain(operation, object, old);
  if (RAISING.includes(options.subresource ?? "")) raiseGeneration(operation, object, old);
  canonicalise(operation.served, object);
  validateUpdate(operation, object, old, options);
  if (options.recordsOwnership !== true) recordUpdate(operation, object, old, options.subresource);
  return { object: storeUpdate(operation, object, old), created: false };
}

function createMissing(
  operation: Operation,
  name: string,
  change: (old: undefined) => StoredObject,
  { subresource, isPatch, recordsOwnership }: UpdateOptions,
): Updated {
  const { served } = operation;
  const creates = recordsOwnership || (served.traits.createsOnUpdate && !isPatch);
  if (subresource || !creates) throw notFound(served, name);
  const object = change(undefined);
  if (!object.metadata.name) object.metadata.name = name;
  if (object.metadata.name !== name) throw wrongName(object.metadata.name, name);
  if (object.metadata.resourceVersion || object.metadata.uid) {
    if (object.metadata.uid) throw uidConflict(operation, object, "");
    throw notFound(served, name);
  }
  return { object: createNow(operation, object), created: true };
}

function checkIdentity(
  operation: Operation,
  object: StoredObject,
  old: StoredObject,
  { isPatch }: UpdateOptions,
): void {
  const { served } = operation;
  const { metadata } = object;
  const name = old.metadata.name!;
  checkNamespace(operation, object);
  metadata.name ??= name;
  if (metadata.name !== name) throw wrongName(metadata.name, name);
  if (metadata.uid && metadata.uid !== old.metadata.uid) {
    if (!isPatch) throw uidConflict(operation, object, old.metadata.uid!);
    const errors = new FieldErrors();
    errors.invalid("metadata.uid", metadata.uid, "field is immutable");
    throw invalid(served, name, errors.causes);
  }
  if (!metadata.resourceVersion && served.traits.needsResourceVersion && !isPatch) {
    const errors = new FieldErrors();
    errors.invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid({ ...served, kind: served.plural }, name, errors.causes);
  }
  if (metadata.resourceVersion && metadata.resourceVersion !== old.metadata.resourceVersion) {
    throw modified(served, name);
  }
}

function wrongName(sent: string, wanted: string) {
  return badRequest(`the name of the object (${sent}) does not match the name on the URL (${wanted})`);
}

function uidConflict({ served }: Operation, { metadata }: StoredObject, stored: string) {
  const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${stored}`;
  return conflict(served, metadata.name!, why);
}

function keepSystemMetadata({ metadata }: StoredObject, { metadata: old }: StoredObject): void {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, namespace } = old;
  const kept = { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, namespace };
  Object.assign(metadata, kept);
  delete metadata.selfLink;
  for (const field of Object.keys(kept) as (keyof typeof kept)[]) {
    if (kept[field] === undefined) delete metadata[field];
  }
}

/** A write through /status stores status and, for built-in kinds, metadata; everything else stays. */
function keepAllButStatus(operation: Operation, object: StoredObject, old: StoredObject): void {
  const { status } = object;
  for (const field of Object.keys(object)) if (field !== "metadata") delete object[field];
  const { metadata: _metadata, ...rest } = old;
  Object.assign(object, deepCopy(rest));
  if (status === undefined) delete object.status;
  else object.status = status;
  if (operation.served.custom) object.metadata = deepCopy(old.metadata);
  operation.served.traits.prepareStatus?.(object, old, operation);
}

function prepareMain(operation: Operation, object: StoredObject, old: StoredObject): void {
  const { served } = operation;
  const { traits } = served;
  if (served.custom?.hasStatus ?? served.served.has("status")) {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  }
  dropDuplicateOwners(operation, object);
  admitUpdate(operation, object, old);
  traits.prepareUpdate?.(object, old, operation);
  traits.defaults?.(object);
}

function raiseGeneration({ served: { traits } }: Operation, object: StoredObject, old: StoredObject): void {
  if (!traits.generation) return;
  const changed = !deepEqual(traits.generation(object), traits.generation(old));
  if (changed) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function validateUpdate(
  operation: Operation,
  object: StoredObject,
  old: StoredObject,
  { subresource }: UpdateOptions,
): void {
  const { served } = operation;
  const errors = new FieldErrors();
  validateMetadata(object, served.traits, errors);
  validateMetadataUpdate(object, old, errors);
  if (subresource === "status") {
    served.traits.validateStatus?.(object, old, errors);
  } else if (!subresource) {
    served.traits.validate?.(object, errors);
    served.traits.validateUpdate?.(object, old, errors);
  }
  if (errors.causes.length > 0) throw invalid(served, object.metadata.name!, errors.causes);
}

function storeUpdate(operation: Operation, object: StoredObject, old: StoredObject): StoredObject {
  const { state: { store }, served, dryRun } = operation;
  object.metadata.resourceVersion = old.metadata.resourceVersion;
  if (deepEqual(object, old)) return old;
  if (dryRun) return object;
  const key = joinKey(object.metadata.namespace, object.metadata.name!);
  if (!isRemovable(operation, object)) return store.put(served.collection, key, object);
  const removed = store.remove(served.collection, key, object)!;
  served.traits.afterDelete?.(removed, operation);
  return removed;
}

/** Whether a terminating object has nothing left to wait for. */
function isRemovable({ served }: Operation, object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (!deletionTimestamp || finalizers?.length || deletionGracePeriodSeconds) return false;
  return !served.traits.blocksRemoval?.(object);
}
