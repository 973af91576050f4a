import { deepEqual } from "../../base/mod.ts";
import type { OwnerReference } from "../../api/mod.ts";
import type { GraphNode } from "./graph.ts";
import { compareIdentities, type Identity, identityKey, identityOfOwner, matchesCoordinates } from "./identity.ts";

/** How an object's owner references moved, by UID. */
export interface ReferencesDiff {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  readonly changed: readonly { readonly before: OwnerReference; readonly after: OwnerReference }[];
}

/** Compares two lists of owner references; `undefined` when they say the same, which is nearly always. */
export function diffReferences(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): ReferencesDiff | undefined {
  if (before === after || (before.length === 0 && after.length === 0) || deepEqual(before, after)) return undefined;
  const old = new Map(before.map((reference) => [reference.uid, reference]));
  const now = new Map(after.map((reference) => [reference.uid, reference]));
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

/** UIDs of owners that a change of references may have stopped being held back by this dependent. */
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

/** Several references of one dependent to one UID can put it on both sides. */
export function partitionDependents(dependents: Iterable<GraphNode>, owner: Identity): PartitionedDependents {
  const matching: GraphNode[] = [];
  const nonmatching: GraphNode[] = [];
  for (const dependent of dependents) {
    if (owner.namespace !== "" && owner.namespace !== dependent.identity.namespace) {
      nonmatching.push(dependent);
      continue;
    }
    const references = dependent.owners.filter(({ uid }) => uid === owner.uid);
    if (references.some((reference) => matchesCoordinates(reference, owner))) matching.push(dependent);
    if (references.some((reference) => !matchesCoordinates(reference, owner))) nonmatching.push(dependent);
  }
  return { matching, nonmatching };
}

/**
 * Under which identity to look for an owner next, after nothing was found under `absent`: the references' claims are tried
 * round in order, so that a wrong reference cannot hide a right one for ever.
 *
 * @returns The first claim after `absent` in the order of identities, else the smallest one; `undefined` when no other is
 * claimed.
 */
export function alternateIdentity(dependents: readonly GraphNode[], absent: Identity): Identity | undefined {
  const claims = new Map<string, Identity>();
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (reference.uid !== absent.uid) continue;
      // The absent identity shows that this kind is cluster-scoped, so the dependent's namespace is not the owner's.
      const isClusterScoped = absent.namespace === "" && reference.apiVersion === absent.apiVersion &&
        reference.kind === absent.kind;
      const claim = identityOfOwner(reference, isClusterScoped ? "" : dependent.identity.namespace);
      claims.set(identityKey(claim), claim);
    }
  }
  claims.delete(identityKey(absent));
  const sorted = [...claims.values()].sort(compareIdentities);
  return sorted.find((claim) => compareIdentities(claim, absent) > 0) ?? sorted[0];
}
