import { findResource, type KubeObject, parseApiVersion } from "../../api/mod.ts";
import { isConflict, isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { AbsentOwnerCache } from "./absent_owner_cache.ts";
import { type Identity, identityOfOwner } from "./identity.ts";
import type { LiveObjects } from "./live_objects.ts";
import { propagationOf } from "./sync.ts";

/** The inputs and clients of {@link deleteAsObserved}. */
export interface ObservedDeletion {
  readonly live: Pick<LiveObjects, "deleteVersion">;
  readonly absentOwners: AbsentOwnerCache;
}

/**
 * Deletes an object whose owners are all known to be absent, in the version that its monitor showed and without a GET
 * first: with that version as a precondition, the DELETE itself checks that the object is unchanged. This takes one
 * request for each dependent of a large owner; upstream sends two.
 *
 * Contract:
 * 1. Owners count as absent only by an earlier live answer about them.
 * 2. An object that changed since it was shown is not touched: the API server compares UID and resource version.
 * 3. Only kinds that kube-apiserver itself stores, which compares both for sure, are deleted so; an aggregated API
 *    server may not.
 *
 * @param seen The object as its monitor shows it.
 * @returns `absent` if the server has no such object; `undecided` if nothing was deleted and it must be looked up.
 * @throws Any other error of the API server.
 */
export async function deleteAsObserved(
  identity: Identity,
  seen: KubeObject | undefined,
  { live, absentOwners }: ObservedDeletion,
): Promise<"deleted" | "absent" | "undecided"> {
  const { ownerReferences = [], resourceVersion } = seen?.metadata ?? {};
  if (!seen || !resourceVersion || ownerReferences.length === 0 || !isBuiltIn(identity)) return "undecided";
  const areAbsent = ownerReferences.every((reference) =>
    absentOwners.has(identityOfOwner(reference, "")) || absentOwners.has(identityOfOwner(reference, identity.namespace))
  );
  if (!areAbsent) return "undecided";
  try {
    await live.deleteVersion(identity, resourceVersion, propagationOf(seen));
    return "deleted";
  } catch (error) {
    if (serverSays(error, isNotFound)) return "absent";
    if (serverSays(error, isConflict)) return "undecided";
    throw error;
  }
}

function isBuiltIn({ apiVersion, kind }: Identity): boolean {
  return findResource({ ...parseApiVersion(apiVersion), kind }) !== undefined;
}
