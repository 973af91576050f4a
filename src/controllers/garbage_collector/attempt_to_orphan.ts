import { errorText } from "../common/mod.ts";
import type { WorkerContext } from "./attempt_to_delete.ts";
import { removeFinalizer } from "./finalizer_removal.ts";
import type { NodeView } from "./graph.ts";
import { identityText } from "./identity.ts";
import { saysAbsent } from "./live_objects.ts";
import { ORPHAN_FINALIZER } from "./transitions.ts";

/**
 * Takes the reference to `owner` off all its dependents, then lets the deletion of `owner` go on.
 * Upstream: `pkg/controller/garbagecollector/garbagecollector.go` (attemptToOrphanWorker).
 *
 * @throws {Error} If a dependent could not be patched: the finalizer stays, and the owner is to be retried as a whole.
 */
export async function attemptToOrphan(owner: NodeView, context: WorkerContext): Promise<void> {
  const dependents = [...owner.dependents];
  const results = await Promise.allSettled(dependents.map(async ({ identity }) => {
    try {
      await context.patches.removeReferences(identity, [owner.identity.uid]);
    } catch (error) {
      if (!saysAbsent(error)) throw error;
    }
  }));
  const failed = results.filter((result) => result.status === "rejected");
  if (failed.length > 0) {
    const causes = failed.map(({ reason }) => reason);
    throw new AggregateError(
      causes,
      `failed to orphan dependents of owner ${identityText(owner.identity)}, got errors: ${
        causes.map(errorText).join(", ")
      }`,
    );
  }
  await removeFinalizer(owner.identity, ORPHAN_FINALIZER, context);
}
