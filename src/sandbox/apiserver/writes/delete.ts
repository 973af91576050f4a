import { formatTime, joinKey, type ObjectMeta, parseTime, type Pod } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { admit, validateAdmission } from "../admission/mod.ts";
import { ApiError, notFound } from "../base/mod.ts";
import { nowText } from "../traits/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { withWebhooks } from "../webhooks/mod.ts";
import { addFinalizers } from "./create.ts";
import { checkPreconditions, type Preconditions } from "./preconditions.ts";

/** The options of a DELETE that this server supports. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: Preconditions;
}

export interface Deleted {
  /** The last state of the removed object, or the object marked as being deleted. */
  readonly object: StoredObject;
  readonly removed: boolean;
}

/** How many objects are deleted in one turn of the event loop. */
const DELETIONS_PER_TURN = 50;
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/**
 * Deletes an object, or marks it if finalizers or a grace period keep it. Upstream: `generic/registry/store.go`
 * (Delete) and `rest/delete.go` (BeforeDelete).
 *
 * @throws {ApiError} 404, or 409 if a precondition fails.
 */
export function deleteObject(operation: Operation, name: string, options: DeleteOptions = {}): Deleted {
  const { state: { store }, served } = operation;
  const key = joinKey(operation.namespace, name);
  const old = store.get(served.collection, key);
  if (!old) throw notFound(served, name);
  checkDeletePreconditions(operation, old, options);
  const { object, isGraceful } = mark(operation, old, options);
  const isMarked = !deepEqual(object, old);
  const isGoingAnyway = isGraceful && old.metadata.deletionTimestamp && !isMarked;
  if (!isGoingAnyway) checkDelete(operation, served.custom?.version.view(old) ?? old);
  const { finalizers, deletionGracePeriodSeconds } = object.metadata;
  const isKept = isGraceful && deletionGracePeriodSeconds || finalizers?.length ||
    served.traits.blocksRemoval?.(object);
  if (operation.dryRun) return { object, removed: !isKept };
  if (isKept) return { object: isMarked ? store.put(served.collection, key, object) : object, removed: false };
  // Graceful kinds are marked first even if nothing keeps them, so that watchers see both steps.
  if (isGraceful && isMarked) store.put(served.collection, key, object);
  const last = store.remove(served.collection, key)!;
  served.traits.afterDelete?.(last, operation);
  return { object: last, removed: true };
}

/**
 * Deletes objects one by one, skipping those that are gone already.
 *
 * @param options.signal Stops early.
 */
export async function deleteEach(
  operation: Operation,
  objects: readonly StoredObject[],
  { signal, ...options }: DeleteOptions & { readonly signal?: AbortSignal } = {},
): Promise<void> {
  for (const [i, { metadata }] of objects.entries()) {
    // Many deletions must not block all other requests.
    if (i % DELETIONS_PER_TURN === DELETIONS_PER_TURN - 1) await operation.state.world.clock.nextTurn();
    if (signal?.aborted) return;
    try {
      await withWebhooks(
        { ...operation, namespace: metadata.namespace ?? "" },
        (operation) => deleteObject(operation, metadata.name!, options),
      );
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
    }
  }
}

/** @throws {ApiError} 409 if the object does not meet the preconditions of a deletion. */
export function checkDeletePreconditions({ served }: Operation, object: StoredObject, options: DeleteOptions): void {
  // Upstream names the kind here, except for kinds with their own way of marking objects.
  const subject = served.traits.prepareDelete ? served : { ...served, plural: served.kind };
  checkPreconditions(subject, object.metadata, options.preconditions);
}

/** @throws {ApiError} If admission refuses to delete an existing object; only webhooks do. */
function checkDelete(operation: Operation, old: StoredObject): void {
  if (!operation.webhooks) return;
  const admission = { operation, moment: "delete", object: { metadata: { name: old.metadata.name } }, old } as const;
  admit(admission);
  validateAdmission(admission);
}

interface Marked {
  readonly object: StoredObject;
  /** Whether a grace period is set; otherwise, only finalizers keep the object. */
  readonly isGraceful: boolean;
}

function mark(operation: Operation, old: StoredObject, options: DeleteOptions): Marked {
  const metadata: ObjectMeta = { ...old.metadata };
  const object: StoredObject = { ...old, metadata };
  const { traits } = operation.served;
  setFinalizers(operation, metadata, options);
  if (!metadata.deletionTimestamp) addFinalizers(metadata, traits.finalizersOnDelete);
  if (traits.isGraceful && markGracefully(operation, object as StoredObject & Pod, options)) {
    return { object, isGraceful: true };
  }
  const isBlocked = traits.blocksRemoval?.(object);
  if (metadata.finalizers?.length || isBlocked) markTerminating(operation, metadata);
  if (isBlocked) delete metadata.deletionGracePeriodSeconds;
  traits.prepareDelete?.(object, operation);
  return { object, isGraceful: false };
}

/** The finalizers that tell the garbage collector what to do with dependents. */
function setFinalizers({ served }: Operation, metadata: ObjectMeta, options: DeleteOptions): void {
  if (served.traits.ignoresPropagation) return;
  const present = metadata.finalizers ?? [];
  const others = present.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  const { propagationPolicy: policy, orphanDependents } = options;
  let wanted: string | false | undefined;
  if (policy !== undefined) wanted = policy === "Orphan" ? ORPHAN : policy === "Foreground" ? FOREGROUND : undefined;
  else if (orphanDependents !== undefined) wanted = orphanDependents ? ORPHAN : undefined;
  else wanted = [ORPHAN, FOREGROUND].find((one) => present.includes(one)) ?? (served.traits.orphansByDefault && ORPHAN);
  const finalizers = wanted ? [...others, wanted] : others;
  if (finalizers.length === present.length && finalizers.every((finalizer) => present.includes(finalizer))) return;
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

function markTerminating({ state }: Operation, metadata: ObjectMeta): void {
  const now = nowText(state);
  if (!metadata.deletionTimestamp && metadata.generation) metadata.generation++;
  if (!metadata.deletionTimestamp || metadata.deletionTimestamp > now) metadata.deletionTimestamp = now;
  metadata.deletionGracePeriodSeconds = 0;
}

/** Starts a pod's graceful deletion; returns false if the pod must be removed at once. */
function markGracefully({ state }: Operation, pod: StoredObject & Pod, options: DeleteOptions): boolean {
  const { metadata, spec, status } = pod;
  const gracePeriodSeconds = (options.gracePeriodSeconds ?? 0) < 0 ? 1 : options.gracePeriodSeconds;
  const pendingSeconds = metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp) {
    if (!pendingSeconds) return false;
    // A pending grace period can only get shorter.
    if (gracePeriodSeconds === undefined || gracePeriodSeconds >= pendingSeconds) return true;
    const startMs = parseTime(metadata.deletionTimestamp) - pendingSeconds * 1000;
    metadata.deletionTimestamp = formatTime(startMs + gracePeriodSeconds * 1000);
    metadata.deletionGracePeriodSeconds = gracePeriodSeconds;
    return true;
  }
  let graceSeconds = gracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 0;
  if (!spec?.nodeName || status?.phase === "Succeeded" || status?.phase === "Failed") graceSeconds = 0;
  if (graceSeconds < 0) graceSeconds = 1;
  metadata.deletionTimestamp = formatTime(state.world.clock.wallMs() + graceSeconds * 1000);
  metadata.deletionGracePeriodSeconds = graceSeconds;
  if (metadata.generation) metadata.generation++;
  return true;
}
