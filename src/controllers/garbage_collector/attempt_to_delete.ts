import { FOREGROUND_DELETION_FINALIZER } from "../../api/mod.ts";
import type { TurnBudget, World } from "../../base/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { AbsentOwnerCache } from "./absent_owner_cache.ts";
import { type ReferencePatches, removeFinalizer } from "./actions.ts";
import { isInCircle } from "./circle.ts";
import { classifyReferences } from "./classification.ts";
import { deleteAsObserved } from "./delete_as_observed.ts";
import type { GraphView, NodeView } from "./graph.ts";
import type { NodeQueue } from "./graph_builder.ts";
import type { Identity } from "./identity.ts";
import { isKeptAsObserved, type Observations } from "./kept_as_observed.ts";
import { type LiveObjects, NamespacedOwnerError } from "./live_objects.ts";
import { verdictOn } from "./sync.ts";

/** The item seems fine, but no monitor has shown it yet: it is looked up again, ever more rarely. */
export class NotObservedError extends Error {
  override readonly name = "NotObservedError";

  constructor() {
    super("item hasn't been observed via informer yet");
  }
}

/** How long an awaited node is left alone. */
const AWAITED_PAUSE_MS = 5_000;

/** The context of both queues' workers. */
export interface WorkerContext {
  readonly world: World;
  readonly graph: GraphView;
  readonly live: LiveObjects;
  readonly patches: ReferencePatches;
  /** For loops that grow with the graph. */
  readonly budget: TurnBudget;
  /** Ends work between two requests: an owner may have thousands of dependents. */
  readonly signal: AbortSignal;
}

export interface DeleteContext extends WorkerContext, Observations {
  readonly absentOwners: AbsentOwnerCache;
  readonly attemptToDelete: Pick<NodeQueue, "add" | "addAfter">;
  /** Reports to the graph builder that the API server has no object with this identity. */
  readonly onAbsent: (identity: Identity) => void;
}

/**
 * Processes one queued node: deletes the object if all its owners are gone.
 *
 * Contract:
 * 1. An object is deleted only on live answers about itself and about every owner, with its UID and resource version as
 *    preconditions; an owner counts as absent only by a 404 or by another UID under its name. Where all owners are
 *    known to be absent, the DELETE's own preconditions ask about the object: see {@link deleteAsObserved}.
 * 2. An error that is neither says nothing: the node is retried.
 * 3. A reference to an owner that is gone is taken off an object that another owner keeps.
 * 4. An object whose foreground deletion waits for itself, all the way round, stops blocking its owners: see
 *    {@link isInCircle}.
 * 5. An object that its owners keep costs no request where the monitors know it: see {@link isKeptAsObserved}. Nor does
 *    a virtual node that a monitor is about to show: it is looked at again later.
 * 6. However large the graph is, work on one node does not keep others from their turn.
 *
 * Upstream: `pkg/controller/garbagecollector/garbagecollector.go` (attemptToDeleteWorker).
 *
 * @throws {NotObservedError} If the node must be tried again because it is still virtual.
 * @throws Whatever made it impossible to decide or to act; the node must be retried.
 */
export async function attemptToDelete(node: NodeView, context: DeleteContext): Promise<void> {
  if (node.virtual) {
    const known = context.graph.get(node.identity.uid);
    if (!known?.virtual) return; // gone or observed: its successor in the graph is processed instead
    if (await context.isAwaited(node.identity)) {
      return context.attemptToDelete.addAfter(node, AWAITED_PAUSE_MS, "a monitor is about to show it");
    }
  }
  if (node.beingDeleted && !node.deletingDependents) return expectObserved(node);
  try {
    if (await decide(node, context) === "absent") return context.onAbsent(node.identity);
  } catch (error) {
    if (error instanceof NamespacedOwnerError) return; // will not resolve by itself
    throw error;
  }
  expectObserved(node);
}

function expectObserved(node: NodeView): void {
  if (node.virtual) throw new NotObservedError();
}

/** @returns `absent` when the object turned out not to exist. */
async function decide(node: NodeView, context: DeleteContext): Promise<"absent" | "present"> {
  const { live, patches, cached } = context;
  if (!node.deletingDependents) {
    const seen = await cached(node.identity);
    if (seen && await isKeptAsObserved(node.identity, seen, context)) return "present";
    const outcome = await deleteAsObserved(node.identity, seen, context);
    if (outcome !== "undecided") return outcome === "absent" ? "absent" : "present";
  }
  const object = await live.get(node.identity);
  if (!object) return "absent";
  if (node.deletingDependents) {
    await deleteDependents(node, context);
    return "present";
  }
  const references = object.metadata?.ownerReferences ?? [];
  if (references.length === 0) return "present";
  const verdict = verdictOn(node, object, await classifyReferences(node.identity, references, context));
  switch (verdict.type) {
    case "keep":
      return "present";
    case "removeReferences":
      await patches.removeReferences(node.identity, verdict.ownerUids);
      return "present";
    case "delete": {
      if (verdict.unblockFirst) await patches.unblockOwners(node);
      try {
        await live.delete(node.identity, object, verdict.propagation);
      } catch (error) {
        if (serverSays(error, isNotFound)) return "absent";
        throw error;
      }
      return "present";
    }
  }
}

/** An owner in foreground deletion: nothing blocks it any more, or its blockers must be deleted first. */
async function deleteDependents(node: NodeView, context: DeleteContext): Promise<void> {
  const { patches, budget, attemptToDelete } = context;
  if (node.blockers.size === 0) return await removeFinalizer(node.identity, FOREGROUND_DELETION_FINALIZER, context);
  // Otherwise two objects that were deleted before the graph showed either deletion would wait for each other for ever,
  // as upstream's do.
  if (await isInCircle(node, budget)) await patches.unblockOwners(node);
  for (const dependent of node.blockers) {
    if (budget.spent) await budget.nextTurn();
    if (!dependent.beingDeleted) attemptToDelete.add(dependent, "owner deletes its dependents");
  }
}
