import type { OwnerReference } from "../../api/mod.ts";

/**
 * How an owner reference names its owner. Part of an {@link Identity}; two references to one UID may disagree on it.
 */
export type Coordinates = Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">;

/** The identity of an object in the graph. Upstream: `pkg/controller/garbagecollector/graph.go` (objectReference). */
export interface Identity extends Coordinates {
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
}

/** The identity that `reference`, found on an object in `namespace`, claims for the owner. */
export function identityOfOwner({ apiVersion, kind, name, uid }: Coordinates, namespace: string): Identity {
  return { apiVersion, kind, name, uid, namespace };
}

/** Whether an owner reference names exactly this owner; the namespace is not part of a reference. */
export function matchesCoordinates(reference: Coordinates, owner: Coordinates): boolean {
  return reference.uid === owner.uid && reference.name === owner.name && reference.kind === owner.kind &&
    reference.apiVersion === owner.apiVersion;
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.namespace === b.namespace && matchesCoordinates(a, b);
}

/** A string that is unique per identity: no part can contain a line feed. */
export function identityKey({ apiVersion, kind, name, uid, namespace }: Identity): string {
  return `${uid}\n${apiVersion}\n${kind}\n${namespace}\n${name}`;
}

/** Orders identities by kind, apiVersion, namespace, name and uid: the order in which alternatives are tried. */
export function compareIdentities(a: Identity, b: Identity): number {
  return compareText(a.kind, b.kind) || compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.namespace, b.namespace) || compareText(a.name, b.name) || compareText(a.uid, b.uid);
}

/** The format of upstream's events and logs. */
export function identityText({ apiVersion, kind, name, uid, namespace }: Identity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
