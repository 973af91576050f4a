/** Changes and refuses writes before they are stored. Upstream: `plugin/pkg/admission`. */
import type { Pod } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { forbidden } from "../base/mod.ts";
import type { Commit, Operation } from "../operations/mod.ts";
import { admit, validate } from "./chain.ts";
import { awaitDefaultAccount } from "./service_account.ts";

export { topologyLabels } from "./nodes.ts";
export { standardStorageClass } from "./standard_storage_class.ts";

export interface UpdateAdmission {
  /** The stored object; frozen. */
  readonly old: StoredObject;
  /** Empty for the main resource. */
  readonly subresource?: string;
}

/** Waits for objects that a creation depends on and that others are about to create. */
export async function prepareAdmission(operation: Operation, object: StoredObject): Promise<void> {
  const { collection } = operation.served;
  if (collection === "pods") await awaitDefaultAccount(operation, object as Pod);
}

/**
 * Sets the fields of a new object that admission provides, before validation.
 *
 * @throws {ApiError} If the object may not be created.
 */
export function admitCreate(operation: Operation, object: StoredObject): void {
  const { served } = operation;
  if (served.custom?.isTerminating) {
    const why = "create not allowed while custom resource definition is terminating";
    throw forbidden(served, object.metadata.name ?? "", why);
  }
  admit({ operation, moment: "create", object });
}

/**
 * Decides whether a valid, named object may be stored.
 *
 * @returns Called right before the object is stored, but not for a dry run.
 * @throws {ApiError} If the object may not be created.
 */
export function checkCreate(operation: Operation, object: StoredObject): Commit {
  return validate({ operation, moment: "create", object });
}

/**
 * Sets the fields of an update that admission provides, before validation.
 *
 * @throws {ApiError} If the update may not be made.
 */
export function admitUpdate(operation: Operation, object: StoredObject, update: UpdateAdmission): void {
  admit({ operation, moment: momentOf(update), object, old: update.old });
}

/** Like {@link checkCreate}, for an update. */
export function checkUpdate(operation: Operation, object: StoredObject, update: UpdateAdmission): Commit {
  return validate({ operation, moment: momentOf(update), object, old: update.old });
}

/**
 * Decides whether a binding, an eviction or a token may be created for an object.
 *
 * @throws {ApiError} If it may not.
 */
export function admitSubresource(operation: Operation, name: string): void {
  admit({ operation, moment: "create/subresource", object: { metadata: { name } } });
}

/** @throws {ApiError} If the object of that name, which may not exist, may not be deleted. */
export function admitDelete(operation: Operation, name: string): void {
  admit({ operation, moment: "delete", object: { metadata: { name } } });
}

/**
 * Decides whether an existing object may be deleted.
 *
 * @throws {ApiError} If it may not.
 */
export function checkDelete(operation: Operation, old: StoredObject): void {
  if (!operation.webhooks) return;
  const admission = { operation, moment: "delete", object: { metadata: { name: old.metadata.name } }, old } as const;
  admit(admission);
  validate(admission);
}

function momentOf({ subresource }: UpdateAdmission): "update" | `update/${string}` {
  return subresource ? `update/${subresource}` : "update";
}
