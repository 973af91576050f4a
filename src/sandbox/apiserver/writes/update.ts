import { deepCopy, deepEqual, goQuote } from "../../../base/mod.ts";
import { joinKey } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { admit, validateAdmission } from "../admission/mod.ts";
import { differInTimesOnly, recordUpdate } from "../apply/mod.ts";
import { badRequest, invalid, modified, notFound, plainError } from "../base/mod.ts";
import { canonicalise, type Moment, type Operation } from "../operations/mod.ts";
import { validateChange } from "./changes.ts";
import { FieldErrors } from "../validation/mod.ts";
import { findUpdateErrors } from "../traits/mod.ts";
import { checkNamespace, createNow, invalidObject } from "./create.ts";
import { dropDuplicateOwners } from "./duplicate_owners.ts";
import { checkPreconditions } from "./preconditions.ts";

/** How an update was sent. */
export interface UpdateOptions {
  /** Empty for the main resource. */
  readonly subresource?: string;
  /** A wrong uid or name gets 422 for a patch and 409 for a PUT. */
  readonly isPatch?: boolean;
  /** Whether the object has its field owners already, or the write does not affect them. */
  readonly keepsManagers?: boolean;
  /** Whether to create a missing object, as apply does. */
  readonly creates?: boolean;
}

/** Subresources (empty: the main one) whose changes of the spec increase the generation. */
const RAISING = ["", "scale", "ephemeralcontainers", "resize"];

export interface Updated {
  readonly object: StoredObject;
  readonly created: boolean;
}

/**
 * Replaces an object with the result of `change`, in one step. Upstream: `generic/registry/store.go` (Update) and
 * `rest/update.go`.
 *
 * @param change Gets the stored, frozen object and returns a new one, decoded and defaulted.
 * @throws {ApiError} 404, 409 for a stale resourceVersion, 422 if the result is invalid.
 */
export function updateObject(
  operation: Operation,
  name: string,
  change: (old: StoredObject | undefined) => StoredObject,
  options: UpdateOptions = {},
): Updated {
  const { state: { store }, served } = operation;
  const stored = store.get(served.collection, joinKey(operation.namespace, name));
  if (!stored) return createMissing(operation, name, change, options);
  const { subresource = "", isPatch, keepsManagers } = options;
  const old = served.custom?.version.view(stored) ?? stored;
  const object = change(old);
  checkIdentity(operation, object, old, isPatch);
  // Writes of other parts of an object have recorded what was sent.
  if (!keepsManagers && ["", "status"].includes(subresource)) recordUpdate(operation, object, old, subresource);
  dropDuplicateOwners(operation, object, isPatch);
  keepSystemMetadata(object, old);
  const moment: Moment = subresource ? `update/${subresource}` : "update";
  const admission = { operation, moment, object, old };
  admit(admission);
  if (subresource === "status") keepAllButStatus(operation, object, old);
  if (subresource === "") prepareMain(operation, object, old);
  if (RAISING.includes(subresource)) raiseGeneration(operation, object, old);
  canonicalise(served, object);
  validateUpdate(operation, object, old, subresource);
  const warnings = subresource === "" ? served.traits.warnings?.(object, old) ?? [] : [];
  for (const text of warnings) operation.warnings.add(text);
  const commit = validateAdmission(admission);
  if (!operation.dryRun) commit();
  return { object: storeUpdate(operation, object, old), created: false };
}

function createMissing(
  operation: Operation,
  name: string,
  change: (old: undefined) => StoredObject,
  { subresource, isPatch, creates, keepsManagers }: UpdateOptions,
): Updated {
  const { served } = operation;
  if (subresource || !(creates || (served.traits.createsOnUpdate && !isPatch))) throw notFound(served, name);
  const object = change(undefined);
  checkName(operation, object, name);
  checkPreconditions(served, { name }, { uid: object.metadata.uid || undefined });
  delete object.metadata.resourceVersion;
  return { object: createNow(operation, object, keepsManagers), created: true };
}

function checkIdentity(
  operation: Operation,
  object: StoredObject,
  old: StoredObject,
  isPatch: boolean | undefined,
): void {
  const { served } = operation;
  const { metadata } = object;
  const name = old.metadata.name!;
  metadata.name ??= name;
  checkName(operation, object, name);
  // For a patch, validation reports that it cannot change.
  if (metadata.uid && !isPatch) checkPreconditions(served, old.metadata, { uid: metadata.uid });
  checkVersion(operation, object, old);
  if (!served.namespaced) delete metadata.namespace;
}

/**
 * Checks that an object has the URL's name and namespace.
 *
 * @throws {ApiError} 400 if it does not.
 */
export function checkName(operation: Operation, object: StoredObject, name: string): void {
  checkNamespace(operation, object);
  const { metadata } = object;
  if (!metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}

/** An update's resourceVersion says which version it replaces; empty or 0 means any. */
function checkVersion({ served }: Operation, { metadata }: StoredObject, old: StoredObject): void {
  const version = metadata.resourceVersion ?? "";
  if (version === old.metadata.resourceVersion) return;
  if (version !== "" && !/^\d{1,20}$/.test(version)) {
    throw plainError(`strconv.ParseUint: parsing ${goQuote(version)}: invalid syntax`);
  }
  if (version !== "" && Number(version) !== 0) throw modified(served, old.metadata.name!);
  if (!served.traits.needsResourceVersion) return;
  const errors = new FieldErrors();
  errors.invalid("metadata.resourceVersion", 0, "must be specified for an update");
  throw invalid({ ...served, kind: served.plural }, old.metadata.name!, errors.causes);
}

/** Restores metadata that an update cannot change or leaves out. Upstream: `rest/update.go` (BeforeUpdate). */
function keepSystemMetadata({ metadata }: StoredObject, { metadata: old }: StoredObject): void {
  metadata.uid ||= old.uid;
  metadata.namespace ||= old.namespace;
  if (old.creationTimestamp) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  }
  metadata.generation = old.generation;
  delete metadata.selfLink;
  if (metadata.generation === undefined) delete metadata.generation;
  if (metadata.namespace === undefined) delete metadata.namespace;
}

/** A write through /status stores status and, for built-in kinds, metadata; everything else stays. */
function keepAllButStatus(operation: Operation, object: StoredObject, old: StoredObject): void {
  const { status } = object;
  for (const field of Object.keys(object)) if (field !== "metadata") delete object[field];
  const { metadata: _metadata, ...rest } = old;
  Object.assign(object, deepCopy(rest));
  if (status === undefined) delete object.status;
  else object.status = status;
  if (operation.served.custom || operation.served.traits.keepsMetadataOnStatus) {
    const { managedFields } = object.metadata;
    object.metadata = { ...deepCopy(old.metadata), managedFields };
    if (!managedFields) delete object.metadata.managedFields;
  }
  operation.served.traits.prepareStatus?.(object, old, operation);
}

function prepareMain(operation: Operation, object: StoredObject, old: StoredObject): void {
  const { served } = operation;
  const { traits } = served;
  if (!traits.keepsStatusOnUpdate && (served.custom?.hasStatus ?? served.served.has("status"))) {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  }
  traits.prepareUpdate?.(object, old, operation);
  traits.defaults?.(object, served.gates, operation.state);
}

function raiseGeneration({ served: { traits } }: Operation, object: StoredObject, old: StoredObject): void {
  if (!traits.generation) return;
  const changed = !deepEqual(traits.generation(object), traits.generation(old));
  if (changed) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function validateUpdate(operation: Operation, object: StoredObject, old: StoredObject, subresource: string): void {
  const { served } = operation;
  // Scaling a custom resource validates all of it.
  const part = served.custom && subresource === "scale" ? "" : subresource;
  const errors = findUpdateErrors(object, old, { traits: served.traits, subresource: part, context: operation });
  validateChange(subresource, object, old, { traits: served.traits, errors });
  if (errors.count > 0) throw invalidObject(served, object, errors.causes);
}

function storeUpdate(operation: Operation, object: StoredObject, old: StoredObject): StoredObject {
  const { state: { store }, served, dryRun } = operation;
  object.metadata.resourceVersion = old.metadata.resourceVersion;
  if (deepEqual(object, old) || isSameButTimes(object, old)) return old;
  if (dryRun) return object;
  const key = joinKey(object.metadata.namespace, object.metadata.name!);
  if (!isRemovable(operation, object)) {
    const stored = store.put(served.collection, key, served.custom?.version.stored(object) ?? object);
    served.traits.afterWrite?.(stored, old, operation);
    return stored;
  }
  const removed = store.remove(served.collection, key, object)!;
  served.traits.afterDelete?.(removed, operation);
  return removed;
}

/** Whether only the times of field owners differ. Upstream: IgnoreManagedFieldsTimestampsTransformer. */
function isSameButTimes(object: StoredObject, old: StoredObject): boolean {
  const { managedFields } = object.metadata;
  if (!managedFields || !differInTimesOnly(managedFields, old.metadata.managedFields)) return false;
  return deepEqual({ ...object, metadata: { ...object.metadata, managedFields: old.metadata.managedFields } }, old);
}

/** Whether nothing keeps a terminating object any longer. */
function isRemovable({ served }: Operation, object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (!deletionTimestamp || finalizers?.length || deletionGracePeriodSeconds) return false;
  return !served.traits.blocksRemoval?.(object);
}
