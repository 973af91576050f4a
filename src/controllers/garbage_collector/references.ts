import { deepEqual } from "../../base/mod.ts";
import type { OwnerReference } from "../../api/mod.ts";
import type { GraphNode } from "./graph.ts";
import { compareIdentities, type Identity, identityOfOwner, matchesCoordinates } from "./identity.ts";

/** The changes of an object's owner references, by UID. */
export interface ReferencesDiff {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  readonly changed: readonly { readonly before: OwnerReference; readonly after: OwnerReference }[];
}

/** Compares two lists of owner references; `undefined` if they are equal, which is nearly always. */
export function diffReferences(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): ReferencesDiff | undefined {
  if (before === after || (before.length === 0 && after.length === 0) || deepEqual(before, after)) return undefined;
  const old = byOwner(before);
  const now = byOwner(after);
  const changed = [];
  for (const [uid, reference] of now) {
    const former = old.get(uid);
    if (former && !deepEqual(former, reference)) changed.push({ before: former, after: reference });
  }
  return {
    added: [...now.values()].filter(({ uid }) => !old.has(uid)),
    removed: [...old.values()].filter(({ uid }) => !now.has(uid)),
    changed,
  };
}

/** If there are several references to one owner, a blocking one wins. */
function byOwner(references: readonly OwnerReference[]): Map<string, OwnerReference> {
  const found = new Map<string, OwnerReference>();
  for (const reference of references) {
    if (found.get(reference.uid)?.blockOwnerDeletion !== true) found.set(reference.uid, reference);
  }
  return found;
}

/** UIDs of owners that this dependent may no longer block after a change of references. */
export function unblockedOwners({ removed, changed }: ReferencesDiff): string[] {
  return [
    ...removed.filter((reference) => reference.blockOwnerDeletion === true),
    ...changed.filter(({ before, after }) => before.blockOwnerDeletion === true && after.blockOwnerDeletion !== true)
      .map(({ after }) => after),
  ].map(({ uid }) => uid);
}

/** Dependents by whether their references to `owner` name exactly it. */
export interface PartitionedDependents {
  readonly matching: readonly GraphNode[];
  readonly nonmatching: readonly GraphNode[];
}

/** A dependent with several references to one UID may be on both sides. One step per dependent. */
export function* partitionDependents(
  dependents: Iterable<GraphNode>,
  owner: Identity,
): Generator<void, PartitionedDependents> {
  const matching: GraphNode[] = [];
  const nonmatching: GraphNode[] = [];
  for (const dependent of dependents) {
    yield;
    if (owner.namespace !== "" && owner.namespace !== dependent.identity.namespace) {
      nonmatching.push(dependent);
      continue;
    }
    const references = dependent.referencesTo(owner.uid);
    if (references.some((reference) => matchesCoordinates(reference, owner))) matching.push(dependent);
    if (references.some((reference) => !matchesCoordinates(reference, owner))) nonmatching.push(dependent);
  }
  return { matching, nonmatching };
}

/**
 * The identity to try next for an owner, after `absent` was not found. The references' claims are tried in rotation, so
 * that a wrong reference cannot hide a right one for ever. One step per dependent.
 *
 * @returns The first claim after `absent` in the order of identities or, failing that, the smallest; `undefined` if
 *   there is no other claim.
 */
export function* alternateIdentity(
  dependents: readonly GraphNode[],
  absent: Identity,
): Generator<void, Identity | undefined> {
  let after: Identity | undefined;
  let smallest: Identity | undefined;
  for (const dependent of dependents) {
    yield;
    for (const reference of dependent.referencesTo(absent.uid)) {
      // The absent identity shows that this kind is cluster-scoped, so the dependent's namespace is not the owner's.
      const isClusterScoped = absent.namespace === "" && reference.apiVersion === absent.apiVersion &&
        reference.kind === absent.kind;
      const claim = identityOfOwner(reference, isClusterScoped ? "" : dependent.identity.namespace);
      const order = compareIdentities(claim, absent);
      if (order > 0 && (!after || compareIdentities(claim, after) < 0)) after = claim;
      if (order !== 0 && (!smallest || compareIdentities(claim, smallest) < 0)) smallest = claim;
    }
  }
  return after ?? smallest;
}
