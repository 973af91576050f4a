import {
  controllerOf,
  type KubeObject,
  newControllerRef,
  objectKey,
  type OwnerReference,
  type Resource,
  type Selector,
} from "../../api/mod.ts";
import { errorText, type TurnBudget } from "../../base/mod.ts";
import { type Client, isInvalid, isNotFound } from "../../client/mod.ts";
import { aggregateErrors, refOf, serverSays } from "../running/mod.ts";

/** The requests that claiming makes. */
export type ClaimClient = Pick<Client, "get" | "patch">;

/** Who claims, and what. */
export interface ClaimOptions<P extends KubeObject, T extends KubeObject> {
  readonly client: ClaimClient;
  /** The claiming controller object, from the cache. */
  readonly parent: P;
  readonly parentResource: Resource<P>;
  /** The kind of the claimed objects. */
  readonly resource: Resource<T>;
  readonly selector: Selector;
  /** A condition besides the selector; by default none. */
  readonly filter?: (object: T) => boolean;
  /** Finalizers that adoption adds and release removes. */
  readonly finalizers?: readonly string[];
  /** The budget of the claiming sync: a namespace may hold thousands of objects. */
  readonly budget: TurnBudget;
  /** Called with the server's answer to each adoption and release. */
  readonly onPatched?: (object: T) => void;
}

/**
 * Decides which of `objects` belong to the parent, adopts matching orphans and releases objects that match no longer.
 *
 * Contract:
 * 1. An object controlled by another uid is ignored.
 * 2. An object of ours that matches is claimed, also while the parent is being deleted.
 * 3. An object of ours that does not match is released, unless the parent is being deleted; an object that is gone or
 *    refuses the patch as invalid counts as released.
 * 4. A matching orphan is adopted, unless it or the parent is being deleted or their namespaces differ; an orphan that
 *    is gone is ignored.
 * 5. Before the first adoption the parent is read from the API server, once; if it is gone, another object of the same
 *    name, or being deleted, every adoption fails.
 * 6. An error stops no other object; at the end any error fails the whole claim.
 *
 * Upstream: `pkg/controller/controller_ref_manager.go`.
 *
 * @returns The objects that belong to the parent now, adopted ones as the cache had them.
 * @throws {Error} The error, or an `AggregateError` of all of them.
 */
export async function claim<P extends KubeObject, T extends KubeObject>(
  objects: readonly T[],
  options: ClaimOptions<P, T>,
): Promise<T[]> {
  const { parent, selector, filter, budget } = options;
  const uid = parent.metadata?.uid;
  const isParentDeleting = Boolean(parent.metadata?.deletionTimestamp);
  const matches = (object: T) => selector.matches(object.metadata?.labels) && (!filter || filter(object));
  const canAdopt = once(() => recheckParent(options));
  const claimed: T[] = [];
  const errors: unknown[] = [];
  for (const object of objects) {
    if (budget.spent) await budget.nextTurn();
    const controller = controllerOf(object);
    if (controller) {
      if (controller.uid !== uid) continue;
      if (matches(object)) claimed.push(object);
      else if (!isParentDeleting) await release(object, options).catch((error) => errors.push(error));
      continue;
    }
    if (isParentDeleting || object.metadata?.deletionTimestamp || !matches(object)) continue;
    if (object.metadata?.namespace !== parent.metadata?.namespace) continue;
    try {
      if (await adopt(object, options, canAdopt)) claimed.push(object);
    } catch (error) {
      errors.push(error);
    }
  }
  const error = aggregateErrors(errors);
  if (error) throw error;
  return claimed;
}

/** The patch that makes `controller` the controller of the object with this uid, and fails for any other object. */
export function adoptionPatch(controller: OwnerReference, objectUid: string, finalizers?: readonly string[]): unknown {
  return { metadata: { ownerReferences: [controller], uid: objectUid, ...finalizers ? { finalizers } : {} } };
}

/** The patch that takes the owner with `ownerUid` off the object with this uid. */
function releasePatch(ownerUid: string, objectUid: string, finalizers?: readonly string[]): unknown {
  const ownerReferences = [{ $patch: "delete", uid: ownerUid }];
  const removed = finalizers ? { "$deleteFromPrimitiveList/finalizers": finalizers } : {};
  return { metadata: { uid: objectUid, ownerReferences, ...removed } };
}

async function adopt<P extends KubeObject, T extends KubeObject>(
  object: T,
  { client, parent, parentResource, resource, finalizers, onPatched }: ClaimOptions<P, T>,
  canAdopt: () => Promise<void>,
): Promise<boolean> {
  const uid = object.metadata?.uid ?? "";
  try {
    await canAdopt();
  } catch (error) {
    const message = `can't adopt ${resource.kind} ${objectKey(object)} (${uid}): ${errorText(error)}`;
    throw new Error(message, { cause: error });
  }
  try {
    const body = adoptionPatch(newControllerRef(parent, parentResource), uid, finalizers);
    const patched = await client.patch(resource, refOf(object), { type: "strategic", body });
    onPatched?.(patched);
    return true;
  } catch (error) {
    if (serverSays(error, isNotFound)) return false;
    throw error;
  }
}

async function release<P extends KubeObject, T extends KubeObject>(
  object: T,
  { client, parent, resource, finalizers, onPatched }: ClaimOptions<P, T>,
): Promise<void> {
  try {
    const body = releasePatch(parent.metadata?.uid ?? "", object.metadata?.uid ?? "", finalizers);
    const patched = await client.patch(resource, refOf(object), { type: "strategic", body });
    onPatched?.(patched);
  } catch (error) {
    // Invalid: the reference is gone, or the object was replaced. Either way it is not ours.
    if (!serverSays(error, isNotFound, isInvalid)) throw error;
  }
}

/**
 * The cache may not show yet that the parent is being deleted; adopting now would leak the object past its garbage
 * collection.
 *
 * @throws {Error} If the parent is gone, another object of the same name, or being deleted.
 */
export async function recheckParent<P extends KubeObject>(
  { client, parent, parentResource }: Pick<ClaimOptions<P, KubeObject>, "client" | "parent" | "parentResource">,
): Promise<void> {
  const fresh = await client.get(parentResource, refOf(parent));
  const { uid, deletionTimestamp } = fresh.metadata ?? {};
  const wanted = parent.metadata?.uid;
  if (uid !== wanted) {
    throw new Error(
      `original ${parentResource.kind} ${objectKey(parent)} is gone: got uid ${uid}, wanted ${wanted}`,
    );
  }
  if (deletionTimestamp) throw new Error(`${objectKey(parent)} has just been deleted at ${deletionTimestamp}`);
}

function once(fn: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => result ??= fn();
}
