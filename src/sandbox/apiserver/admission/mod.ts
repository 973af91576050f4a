/** What is changed or refused on the way into the store. Upstream: `plugin/pkg/admission`. */
import type { Pod } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { forbidden } from "../base/mod.ts";
import type { Commit, Operation } from "../operations/mod.ts";
import { admit, validate } from "./chain.ts";
import { awaitDefaultAccount } from "./service_account.ts";

export { standardStorageClass } from "./standard_storage_class.ts";

/** An update as admission sees it. */
export interface UpdateAdmission {
  /** What is stored; frozen. */
  readonly old: StoredObject;
  /** Empty for the main resource. */
  readonly subresource?: string;
}

/** Waits for what a creation depends on: others are about to make it. */
export async function prepareAdmission(operation: Operation, object: StoredObject): Promise<void> {
  const { collection } = operation.served;
  if (collection === "pods") await awaitDefaultAccount(operation, object as Pod);
}

/**
 * Fills in what a new object leaves to admission, before it is validated.
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
 * Asks, once the object is valid and has its name, whether it may be stored.
 *
 * @returns What is to be called right before it is stored, and not for a dry run.
 * @throws {ApiError} If the object may not be created.
 */
export function checkCreate(operation: Operation, object: StoredObject): Commit {
  return validate({ operation, moment: "create", object });
}

/**
 * Fills in what an update leaves to admission, before it is validated.
 *
 * @throws {ApiError} If the update may not be made.
 */
export function admitUpdate(operation: Operation, object: StoredObject, update: UpdateAdmission): void {
  admit({ operation, moment: momentOf(update), object, old: update.old });
}

/** As {@link checkCreate}, for an update. */
export function checkUpdate(operation: Operation, object: StoredObject, update: UpdateAdmission): Commit {
  return validate({ operation, moment: momentOf(update), object, old: update.old });
}

/**
 * Asks whether something may be made through a subresource of the object: a binding, an eviction, a token.
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
 * Asks whether an object that is there may be deleted.
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
