import { joinKey, type KubeObject, type OwnerReference } from "../../api/mod.ts";
import type { Cause } from "../../workqueue/mod.ts";
import { cause } from "../common/mod.ts";
import type { AbsentOwnerCache } from "./absent_owner_cache.ts";
import { type Graph, GraphNode, type NodeView } from "./graph.ts";
import { type GraphChange, identityOfObject } from "./graph_change.ts";
import { type Identity, identityOfOwner, matchesCoordinates, sameIdentity } from "./identity.ts";
import { alternateIdentity, diffReferences, partitionDependents, unblockedOwners } from "./references.ts";
import { isBeingDeleted, isDeletingDependents, transitionOf } from "./transitions.ts";

/** The part of a work queue that the graph builder fills. Items are nodes, so a node and its replacement are two items. */
export interface NodeQueue {
  add(node: NodeView, cause?: Cause): void;
  addRateLimited(node: NodeView, cause?: Cause): void;
}

export interface GraphBuilderOptions {
  readonly graph: Graph;
  readonly absentOwners: AbsentOwnerCache;
  readonly attemptToDelete: NodeQueue;
  readonly attemptToOrphan: NodeQueue;
  /** Called for a dependent whose owner is known to live in another namespace. */
  readonly onInvalidNamespace: (dependent: NodeView, ownerUid: string) => void;
}

/**
 * Keeps the graph by the changes that monitors see, and queues what may have become garbage.
 *
 * Contract:
 * 1. Changes are processed one at a time, in the order in which they were queued; nobody else writes to the graph.
 * 2. An owner that only references know is a virtual node, queued so that somebody asks the API server for it.
 * 3. A change observed by a monitor makes a virtual node an observed one, under the observed identity.
 * 4. A virtual delete removes a node only if no dependent claims another identity for it, and never an observed node with
 *    another identity.
 * 5. Nothing is deleted here: queueing too much costs a GET, never an object.
 *
 * Upstream: `pkg/controller/garbagecollector/graph_builder.go`.
 */
export class GraphBuilder {
  readonly #graph: Graph;
  readonly #absentOwners: AbsentOwnerCache;
  readonly #attemptToDelete: NodeQueue;
  readonly #attemptToOrphan: NodeQueue;
  readonly #onInvalidNamespace: (dependent: NodeView, ownerUid: string) => void;

  constructor(options: GraphBuilderOptions) {
    this.#graph = options.graph;
    this.#absentOwners = options.absentOwners;
    this.#attemptToDelete = options.attemptToDelete;
    this.#attemptToOrphan = options.attemptToOrphan;
    this.#onInvalidNamespace = options.onInvalidNamespace;
  }

  /** Works one change into the graph. */
  process(change: GraphChange): void {
    switch (change.type) {
      case "barrier":
        return change.reached();
      case "virtualDelete":
        return this.#virtualDelete(change.identity);
      case "add":
      case "update": {
        const identity = identityOfObject(change.of, change.object);
        return this.#upsert(identity, change.object, change.type === "update" ? change.old : undefined);
      }
      case "delete": {
        const identity = identityOfObject(change.of, change.object);
        const node = this.#observe(identity);
        if (node) this.#remove(node, identity);
      }
    }
  }

  /** The node of an object that a monitor has just shown, no longer virtual and with the observed identity. */
  #observe(identity: Identity): GraphNode | undefined {
    let node = this.#graph.get(identity.uid);
    if (!node?.virtual) return node;
    if (!sameIdentity(node.identity, identity)) {
      for (const dependent of partitionDependents(node.dependents, identity).nonmatching) {
        if (identity.namespace !== "" && dependent.identity.namespace !== identity.namespace) {
          this.#onInvalidNamespace(dependent, identity.uid);
        }
        this.#attemptToDelete.add(dependent, "owner observed with other coordinates");
      }
      node = node.withIdentity(identity);
      this.#graph.put(node);
    }
    node.virtual = false;
    return node;
  }

  #upsert(identity: Identity, object: KubeObject, old: KubeObject | undefined): void {
    const owners = object.metadata?.ownerReferences ?? [];
    let node = this.#observe(identity);
    if (!node) {
      const deletingDependents = isDeletingDependents(object);
      node = new GraphNode(identity, { owners, beingDeleted: isBeingDeleted(object), deletingDependents });
      this.#graph.put(node);
      this.#link(node, owners);
    } else {
      this.#relink(node, owners);
      if (isBeingDeleted(object)) node.beingDeleted = true;
    }
    switch (transitionOf(old, object)) {
      case "orphan":
        this.#attemptToOrphan.add(node, `${changeOfNode(node, object)}: deletion with orphaning began`);
        break;
      case "deleteDependents":
        node.deletingDependents = true;
        for (const dependent of node.dependents) {
          this.#attemptToDelete.add(dependent, `${changeOfNode(node, object)}: owner deletes its dependents`);
        }
        this.#attemptToDelete.add(node, `${changeOfNode(node, object)}: foreground deletion began`);
    }
  }

  #relink(node: GraphNode, owners: readonly OwnerReference[]): void {
    const diff = diffReferences(node.owners, owners);
    if (!diff) return;
    for (const uid of unblockedOwners(diff)) {
      const owner = this.#graph.get(uid);
      if (owner) this.#attemptToDelete.add(owner, "dependent stopped blocking");
    }
    node.owners = owners;
    this.#link(node, diff.added);
    this.#graph.unlink(node, diff.removed);
  }

  /** Adds `node` to the dependents of its owners, inventing virtual ones, and doubts references that do not fit. */
  #link(node: GraphNode, references: readonly OwnerReference[]): void {
    let isDoubtful = false;
    for (const reference of references) {
      let owner = this.#graph.get(reference.uid);
      if (!owner) {
        owner = new GraphNode(identityOfOwner(reference, node.identity.namespace), { virtual: true });
        owner.addDependent(node);
        this.#graph.put(owner);
        this.#attemptToDelete.add(owner, "owner known from references only");
        continue;
      }
      owner.addDependent(node);
      isDoubtful ||= this.#isMismatch(node, reference, owner);
    }
    if (isDoubtful) this.#attemptToDelete.add(node, "reference does not match the owner");
  }

  #isMismatch(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const sameNamespace = owner.identity.namespace === node.identity.namespace;
    const ownerIsNamespaced = owner.identity.namespace !== "";
    if (ownerIsNamespaced && !sameNamespace) {
      if (!owner.virtual) this.#onInvalidNamespace(node, reference.uid);
      return true;
    }
    if (!matchesCoordinates(reference, owner.identity)) return true;
    // A virtual owner invented from a cluster-scoped dependent may be of a namespaced kind: ask.
    return owner.virtual && !ownerIsNamespaced && !sameNamespace;
  }

  #virtualDelete(identity: Identity): void {
    const node = this.#graph.get(identity.uid);
    if (!node) return;
    if (node.virtual) {
      const { matching, nonmatching } = partitionDependents(node.dependents, identity);
      if (nonmatching.length === 0) return this.#remove(node, identity);
      this.#absent(identity, matching);
      if (!sameIdentity(node.identity, identity)) return;
      const alternate = alternateIdentity(nonmatching, identity);
      if (!alternate) return;
      const replacement = node.withIdentity(alternate);
      this.#graph.put(replacement);
      this.#attemptToDelete.addRateLimited(replacement, "other coordinates of an owner known from references only");
    } else if (sameIdentity(node.identity, identity)) {
      this.#remove(node, identity);
    } else {
      this.#absent(identity, partitionDependents(node.dependents, identity).matching);
    }
  }

  /** Remembers that nothing lives under `identity`, for the dependents that name exactly it. */
  #absent(identity: Identity, matching: readonly GraphNode[]): void {
    if (matching.length === 0) return;
    this.#absentOwners.add(identity);
    for (const dependent of matching) this.#attemptToDelete.add(dependent, "owner is absent");
  }

  #remove(node: GraphNode, identity: Identity): void {
    this.#graph.remove(node);
    if (node.dependents.size > 0) this.#absentOwners.add(identity);
    const why = cause(identity.kind.toLowerCase(), joinKey(identity.namespace, identity.name), "deleted");
    for (const dependent of node.dependents) this.#attemptToDelete.add(dependent, `${why}: owner`);
    for (const { uid } of node.owners) {
      const owner = this.#graph.get(uid);
      if (owner?.deletingDependents) this.#attemptToDelete.add(owner, `${why}: dependent`);
    }
  }
}

function changeOfNode({ identity }: NodeView, object: KubeObject): Cause {
  return cause(identity.kind.toLowerCase(), object, "updated");
}
