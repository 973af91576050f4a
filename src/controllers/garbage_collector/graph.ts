import type { OwnerReference } from "../../api/mod.ts";
import { type Identity, identityText } from "./identity.ts";

/** A node as the workers see it: they read the graph and never change it. */
export interface NodeView {
  readonly identity: Identity;
  readonly owners: readonly OwnerReference[];
  readonly dependents: ReadonlySet<NodeView>;
  /** The object has a deletionTimestamp. */
  readonly beingDeleted: boolean;
  /** The object waits, by finalizer `foregroundDeletion`, until the dependents that block it are gone. */
  readonly deletingDependents: boolean;
  /** Known from references only; no informer has shown the object yet. */
  readonly virtual: boolean;
}

/** The graph as the workers see it. */
export interface GraphView {
  get(uid: string): NodeView | undefined;
  nodes(): Iterable<NodeView>;
}

const NONE: ReadonlySet<GraphNode> = new Set();

/** One object and its place among owners and dependents. Upstream: `pkg/controller/garbagecollector/graph.go` (node). */
export class GraphNode implements NodeView {
  readonly identity: Identity;
  /** Most objects own nothing: they get no set of their own. */
  #dependents: Set<GraphNode> | undefined;
  owners: readonly OwnerReference[];
  beingDeleted: boolean;
  deletingDependents: boolean;
  virtual: boolean;

  constructor(
    identity: Identity,
    { owners = [], beingDeleted = false, deletingDependents = false, virtual = false }: Partial<
      Pick<NodeView, "owners" | "beingDeleted" | "deletingDependents" | "virtual">
    > = {},
  ) {
    this.identity = identity;
    this.owners = owners;
    this.beingDeleted = beingDeleted;
    this.deletingDependents = deletingDependents;
    this.virtual = virtual;
  }

  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? NONE;
  }

  addDependent(dependent: GraphNode): void {
    (this.#dependents ??= new Set()).add(dependent);
  }

  removeDependent(dependent: GraphNode): void {
    this.#dependents?.delete(dependent);
  }

  /** A node with the same dependents and another identity. A queued original stays what it was. */
  withIdentity(identity: Identity): GraphNode {
    const copy = new GraphNode(identity, this);
    for (const dependent of this.dependents) copy.addDependent(dependent);
    return copy;
  }

  /** For the journal, which names a queue's items. */
  toString(): string {
    return identityText(this.identity);
  }
}

/**
 * Objects by UID, linked by their owner references.
 *
 * Contract:
 * 1. One writer: only the graph builder, which works through changes one at a time, holds a `Graph`; others a `GraphView`.
 * 2. A node is among the dependents of every node that one of its owner references names by UID.
 * 3. A replaced node and its successor are different values, so a queue that holds the old one can tell.
 */
export class Graph implements GraphView {
  readonly #nodes = new Map<string, GraphNode>();

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  nodes(): Iterable<GraphNode> {
    return this.#nodes.values();
  }

  /** Inserts `node`, or puts it in the place of the one with its UID. */
  put(node: GraphNode): void {
    this.#nodes.set(node.identity.uid, node);
  }

  /** Takes `node` out, also from the dependents of its owners. */
  remove(node: GraphNode): void {
    this.#nodes.delete(node.identity.uid);
    this.unlink(node, node.owners);
  }

  /** Takes `node` from the dependents of the owners that `references` name. */
  unlink(node: GraphNode, references: readonly OwnerReference[]): void {
    for (const { uid } of references) this.#nodes.get(uid)?.removeDependent(node);
  }
}

/** Dependents that `node` must wait for: those whose reference to it has blockOwnerDeletion set. */
export function blockingDependents(node: NodeView): NodeView[] {
  const { uid } = node.identity;
  return [...node.dependents].filter((dependent) =>
    dependent.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true)
  );
}

/** Whether `node`'s foreground deletion waits for itself: through dependents that block, each in foreground deletion too. */
export function waitsForItself(node: NodeView): boolean {
  const seen = new Set<NodeView>();
  const left = blockingDependents(node);
  for (let next = left.pop(); next; next = left.pop()) {
    if (next.identity.uid === node.identity.uid) return true;
    if (!next.deletingDependents || seen.has(next)) continue;
    seen.add(next);
    left.push(...blockingDependents(next));
  }
  return false;
}
