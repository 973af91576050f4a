import { joinKey, type KubeObject, type OwnerReference } from "../../api/mod.ts";
import type { Cause, Reason } from "../../workqueue/mod.ts";
import { cause, causeWith } from "../running/mod.ts";
import type { AbsentOwnerCache } from "./absent_owner_cache.ts";
import { type Graph, GraphNode, type NodeView } from "./graph.ts";
import { type GraphChange, identityOfObject } from "./graph_change.ts";
import { type Identity, identityOfOwner, matchesCoordinates, sameIdentity } from "./identity.ts";
import { alternateIdentity, diffReferences, partitionDependents, unblockedOwners } from "./references.ts";
import { isBeingDeleted, isDeletingDependents, transitionOf } from "./transitions.ts";

/**
 * The part of a work queue that the graph builder fills. Items are nodes, so a node and its replacement are two items.
 */
export interface NodeQueue {
  add(node: NodeView, cause?: Cause): void;
  addAfter(node: NodeView, delayMs: number, cause?: Cause): void;
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
 * Maintains the graph from the changes that monitors see, and queues possible garbage. It deletes nothing: queueing too
 * much costs a GET, never an object.
 *
 * Contract:
 * 1. Changes are processed one at a time, in the order in which they were queued; nobody else writes to the graph.
 * 2. An owner that only references know is a virtual node, queued so that somebody asks the API server for it.
 * 3. A change observed by a monitor makes a virtual node an observed one, under the observed identity.
 * 4. A virtual delete removes a node only if no dependent claims another identity for it, and never an observed node
 *    with another identity.
 * 5. Every step of a change takes constant time, but for what the changed object's own size costs. Workers may see the
 *    graph between two steps as if some of the links were not known yet.
 * 6. An owner in foreground deletion is queued when what it has waited for longest is gone, not for every dependent:
 *    until then it can do nothing. A dependent that comes late is queued when it comes.
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

  /** Applies one change to the graph, step by step; the next change may start after the last step. */
  *process(change: GraphChange): Generator<void, void> {
    switch (change.type) {
      case "barrier":
        return change.reached();
      case "virtualDelete":
        return yield* this.#virtualDelete(change.identity);
      case "add":
      case "update": {
        const identity = identityOfObject(change.of, change.object);
        return yield* this.#upsert(identity, change.object, change.type === "update" ? change.old : undefined);
      }
      case "delete": {
        const identity = identityOfObject(change.of, change.object);
        const node = yield* this.#observe(identity);
        if (node) yield* this.#remove(node, identity);
      }
    }
  }

  /** The node of an object that a monitor has just shown, no longer virtual and with the observed identity. */
  *#observe(identity: Identity): Generator<void, GraphNode | undefined> {
    let node = this.#graph.get(identity.uid);
    if (!node?.virtual) return node;
    if (!sameIdentity(node.identity, identity)) {
      for (const dependent of (yield* partitionDependents(node.dependents, identity)).nonmatching) {
        yield;
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

  *#upsert(identity: Identity, object: KubeObject, old: KubeObject | undefined): Generator<void, void> {
    const owners = object.metadata?.ownerReferences ?? [];
    let node = yield* this.#observe(identity);
    if (!node) {
      const deletingDependents = isDeletingDependents(object);
      node = new GraphNode(identity, { owners, beingDeleted: isBeingDeleted(object), deletingDependents });
      this.#graph.put(node);
      yield* this.#link(node, owners);
    } else {
      yield* this.#relink(node, owners);
      if (isBeingDeleted(object)) node.beingDeleted = true;
    }
    switch (transitionOf(old, object)) {
      case "orphan":
        this.#attemptToOrphan.add(node, causeWith(changeOfNode(node, object), "deletion with orphaning began"));
        break;
      case "deleteDependents":
        yield* this.#deleteDependents(node, changeOfNode(node, object));
    }
  }

  *#deleteDependents(node: GraphNode, why: Reason): Generator<void, void> {
    const blockers = new Set<GraphNode>();
    const cause = causeWith(why, "owner deletes its dependents");
    for (const dependent of node.dependents) {
      yield;
      if (node.isBlockedBy(dependent)) blockers.add(dependent);
      this.#attemptToDelete.add(dependent, cause);
    }
    node.waitFor(blockers);
    this.#attemptToDelete.add(node, causeWith(why, "foreground deletion began"));
  }

  *#relink(node: GraphNode, owners: readonly OwnerReference[]): Generator<void, void> {
    const diff = diffReferences(node.owners, owners);
    if (!diff) return;
    node.owners = owners;
    yield* this.#link(node, diff.added);
    this.#graph.unlink(node, diff.removed);
    for (const { after: { uid } } of diff.changed) this.#graph.get(uid)?.addDependent(node);
    for (const uid of unblockedOwners(diff)) {
      const owner = this.#graph.get(uid);
      if (owner) this.#attemptToDelete.add(owner, "dependent stopped blocking");
    }
  }

  /**
   * Adds `node` to the dependents of its owners, creates virtual owners, and queues references that do not match for
   * verification.
   */
  *#link(node: GraphNode, references: readonly OwnerReference[]): Generator<void, void> {
    let isDoubtful = false;
    let isAwaited = false;
    for (const reference of references) {
      yield;
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
      isAwaited ||= owner.blockers.has(node);
    }
    if (isDoubtful) this.#attemptToDelete.add(node, "reference does not match the owner");
    if (isAwaited) this.#attemptToDelete.add(node, "owner waits for its deletion");
  }

  #isMismatch(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const sameNamespace = owner.identity.namespace === node.identity.namespace;
    const ownerIsNamespaced = owner.identity.namespace !== "";
    if (ownerIsNamespaced && !sameNamespace) {
      if (!owner.virtual) this.#onInvalidNamespace(node, reference.uid);
      return true;
    }
    if (!matchesCoordinates(reference, owner.identity)) return true;
    // A virtual owner created from a cluster-scoped dependent may be of a namespaced kind, so look it up.
    return owner.virtual && !ownerIsNamespaced && !sameNamespace;
  }

  *#virtualDelete(identity: Identity): Generator<void, void> {
    const node = this.#graph.get(identity.uid);
    if (!node) return;
    if (node.virtual) {
      const { matching, nonmatching } = yield* partitionDependents(node.dependents, identity);
      if (nonmatching.length === 0) return yield* this.#remove(node, identity);
      yield* this.#absent(identity, matching);
      if (!sameIdentity(node.identity, identity)) return;
      const alternate = yield* alternateIdentity(nonmatching, identity);
      if (!alternate) return;
      const replacement = node.withIdentity(alternate);
      this.#graph.put(replacement);
      this.#attemptToDelete.addRateLimited(replacement, "other coordinates of an owner known from references only");
    } else if (sameIdentity(node.identity, identity)) {
      yield* this.#remove(node, identity);
    } else {
      yield* this.#absent(identity, (yield* partitionDependents(node.dependents, identity)).matching);
    }
  }

  /** Remembers that nothing lives under `identity`, for the dependents that name exactly it. */
  *#absent(identity: Identity, matching: readonly GraphNode[]): Generator<void, void> {
    if (matching.length === 0) return;
    this.#absentOwners.add(identity);
    for (const dependent of matching) {
      yield;
      this.#attemptToDelete.add(dependent, "owner is absent");
    }
  }

  *#remove(node: GraphNode, identity: Identity): Generator<void, void> {
    const why = cause(identity.kind.toLowerCase(), joinKey(identity.namespace, identity.name), "deleted");
    const waiting: GraphNode[] = [];
    for (const { uid } of node.owners) {
      const owner = this.#graph.get(uid);
      if (owner?.firstBlocker === node) waiting.push(owner);
    }
    this.#graph.remove(node);
    for (const owner of waiting) this.#attemptToDelete.add(owner, causeWith(why, "dependent"));
    if (node.dependents.size > 0) this.#absentOwners.add(identity);
    const ownerGone = causeWith(why, "owner");
    for (const dependent of node.dependents) {
      yield;
      this.#attemptToDelete.add(dependent, ownerGone);
    }
  }
}

function changeOfNode({ identity }: NodeView, object: KubeObject): Reason {
  return cause(identity.kind.toLowerCase(), object, "updated");
}
