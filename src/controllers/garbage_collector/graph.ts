import type { OwnerReference } from "../../api/mod.ts";
import { type Identity, identityText } from "./identity.ts";

/** The workers' view of a node: they read the graph and never change it. */
export interface NodeView {
  readonly identity: Identity;
  readonly owners: readonly OwnerReference[];
  readonly dependents: ReadonlySet<NodeView>;
  /** The object has a deletionTimestamp. */
  readonly beingDeleted: boolean;
  /** The object waits, by finalizer `foregroundDeletion`, until the dependents that block it are gone. */
  readonly deletingDependents: boolean;
  /**
   * What it waits for, oldest first: dependents that refer to it with blockOwnerDeletion. Empty unless it is waiting.
   */
  readonly blockers: ReadonlySet<NodeView>;
  /** What it has waited for longest. Its deletion cannot proceed before this one stops blocking it. */
  readonly firstBlocker: NodeView | undefined;
  /** Known from references only; no informer has shown the object yet. */
  readonly virtual: boolean;
  /** Its references to the object with this UID. Takes constant time, even with many owners. */
  referencesTo(uid: string): readonly OwnerReference[];
}

/** The graph as the workers see it. */
export interface GraphView {
  get(uid: string): NodeView | undefined;
  nodes(): Iterable<NodeView>;
}

const NONE: ReadonlySet<GraphNode> = new Set();
/** Up to this many references, scanning them is cheaper than an index. */
const FEW_OWNERS = 8;

/**
 * One object and its place among owners and dependents. Upstream: `pkg/controller/garbagecollector/graph.go` (node).
 */
export class GraphNode implements NodeView {
  readonly identity: Identity;
  /** Absent for most objects, which own nothing. */
  #dependents: Set<GraphNode> | undefined;
  #blockers: Set<GraphNode> | undefined;
  #owners: readonly OwnerReference[];
  /** Built on demand. */
  #referencesByOwner: Map<string, OwnerReference[]> | undefined;
  beingDeleted: boolean;
  virtual: boolean;

  constructor(
    identity: Identity,
    { owners = [], beingDeleted = false, deletingDependents = false, virtual = false }: Partial<
      Pick<NodeView, "owners" | "beingDeleted" | "deletingDependents" | "virtual">
    > = {},
  ) {
    this.identity = identity;
    this.#owners = owners;
    this.beingDeleted = beingDeleted;
    this.virtual = virtual;
    if (deletingDependents) this.#blockers = new Set();
  }

  get owners(): readonly OwnerReference[] {
    return this.#owners;
  }

  set owners(owners: readonly OwnerReference[]) {
    this.#owners = owners;
    this.#referencesByOwner = undefined;
  }

  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? NONE;
  }

  get deletingDependents(): boolean {
    return this.#blockers !== undefined;
  }

  get blockers(): ReadonlySet<GraphNode> {
    return this.#blockers ?? NONE;
  }

  get firstBlocker(): GraphNode | undefined {
    return this.blockers.values().next().value;
  }

  referencesTo(uid: string): readonly OwnerReference[] {
    if (this.#owners.length <= FEW_OWNERS) return this.#owners.filter((owner) => owner.uid === uid);
    this.#referencesByOwner ??= Map.groupBy(this.#owners, (owner) => owner.uid);
    return this.#referencesByOwner.get(uid) ?? [];
  }

  /** Adds a dependent, or records that its references changed. */
  addDependent(dependent: GraphNode): void {
    (this.#dependents ??= new Set()).add(dependent);
    if (!this.#blockers) return;
    if (this.isBlockedBy(dependent)) this.#blockers.add(dependent);
    else this.#blockers.delete(dependent);
  }

  removeDependent(dependent: GraphNode): void {
    this.#dependents?.delete(dependent);
    this.#blockers?.delete(dependent);
  }

  /** Whether this one's foreground deletion must wait for `dependent`. */
  isBlockedBy(dependent: GraphNode): boolean {
    return dependent.referencesTo(this.identity.uid).some((owner) => owner.blockOwnerDeletion === true);
  }

  /** Its foreground deletion began, and waits for these dependents. */
  waitFor(blockers: Set<GraphNode>): void {
    this.#blockers = blockers;
  }

  /** A node with the same dependents and another identity; only one of the two may be changed from then on. */
  withIdentity(identity: Identity): GraphNode {
    const copy = new GraphNode(identity, this);
    copy.#dependents = this.#dependents;
    copy.#blockers = this.#blockers;
    return copy;
  }

  /** For the journal, which names a queue's items. */
  toString(): string {
    return identityText(this.identity);
  }
}

/**
 * Objects by UID, linked by their owner references. Only the graph builder holds a `Graph`; others a `GraphView`.
 *
 * Contract:
 * 1. A node is among the dependents of every node that one of its owner references names by UID.
 * 2. A replaced node and its successor are different values, so a queue that holds the old one can tell.
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

  /** Inserts `node`, replacing the one with its UID. */
  put(node: GraphNode): void {
    this.#nodes.set(node.identity.uid, node);
  }

  /** Removes `node`, also from the dependents of its owners. */
  remove(node: GraphNode): void {
    this.#nodes.delete(node.identity.uid);
    this.unlink(node, node.owners);
  }

  /** Removes `node` from the dependents of the owners in `references`. */
  unlink(node: GraphNode, references: readonly OwnerReference[]): void {
    for (const { uid } of references) this.#nodes.get(uid)?.removeDependent(node);
  }
}
