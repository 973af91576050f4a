import type { OwnerReference } from "../../api/mod.ts";
import type { AbsentOwnerCache } from "./absent_owner_cache.ts";
import { type Identity, identityOfOwner } from "./identity.ts";
import { type LiveObjects, NamespacedOwnerError } from "./live_objects.ts";
import { isDeletingDependents } from "./transitions.ts";

/** An object's owner references by the owner's state. */
export interface ClassifiedReferences {
  /** The owner exists and keeps the object. */
  readonly solid: readonly OwnerReference[];
  /** The owner does not exist. */
  readonly dangling: readonly OwnerReference[];
  /** The owner exists and waits for the deletion of its dependents. */
  readonly waiting: readonly OwnerReference[];
}

type OwnerState = keyof ClassifiedReferences;

/**
 * Looks up every owner in `references` of `item`, except those known to be absent.
 *
 * @throws {UnmappedKindError} If an owner's kind is not served: nothing may be concluded then.
 * @throws {NamespacedOwnerError} If `item` is cluster-scoped and an owner's kind is not.
 * @throws What the GET of an owner throws; only a 404 or another UID counts as absence.
 */
export async function classifyReferences(
  item: Identity,
  references: readonly OwnerReference[],
  { live, absentOwners }: { live: LiveObjects; absentOwners: AbsentOwnerCache },
): Promise<ClassifiedReferences> {
  const classified = { solid: [], dangling: [], waiting: [] } as Record<OwnerState, OwnerReference[]>;
  for (const reference of references) {
    classified[await ownerState(item, reference, { live, absentOwners })].push(reference);
  }
  return classified;
}

async function ownerState(
  item: Identity,
  reference: OwnerReference,
  { live, absentOwners }: { live: LiveObjects; absentOwners: AbsentOwnerCache },
): Promise<OwnerState> {
  const clusterScoped = identityOfOwner(reference, "");
  const namespaced = identityOfOwner(reference, item.namespace);
  if (absentOwners.has(clusterScoped) || absentOwners.has(namespaced)) return "dangling";
  const resource = await live.resourceOf(reference);
  if (resource.namespaced && item.namespace === "") throw new NamespacedOwnerError();
  const identity = resource.namespaced ? namespaced : clusterScoped;
  const owner = await live.getFrom(resource, identity);
  if (owner) return isDeletingDependents(owner) ? "waiting" : "solid";
  absentOwners.add(identity);
  return "dangling";
}
