import { ORPHAN_FINALIZER } from "../../api/mod.ts";
import { errorText, parallelize } from "../../base/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { WorkerContext } from "./attempt_to_delete.ts";
import { removeFinalizer } from "./actions.ts";
import type { NodeView } from "./graph.ts";
import { identityText } from "./identity.ts";

/** How many dependents are patched at a time; more would only wait in the client for its rate limit. */
const PARALLEL = 100;
/** How many of their errors are reported: what fails for one dependent usually fails for thousands. */
const ERRORS_TOLD = 10;

/**
 * Removes the reference to `owner` from all its dependents, then lets the deletion of `owner` proceed.
 * Upstream: `pkg/controller/garbagecollector/garbagecollector.go` (attemptToOrphanWorker).
 *
 * @throws {Error} If a dependent could not be patched, or the signal aborted before all were: the finalizer stays, and
 *   the owner must be retried as a whole.
 */
export async function attemptToOrphan(owner: NodeView, context: WorkerContext): Promise<void> {
  const { patches, signal } = context;
  const dependents = [...owner.dependents];
  const errors: unknown[] = [];
  await parallelize(PARALLEL, dependents.length, async (i) => {
    try {
      await patches.removeReferences(dependents[i].identity, [owner.identity.uid]);
    } catch (error) {
      if (!serverSays(error, isNotFound)) errors.push(error);
    }
  }, signal);
  if (errors.length > 0) {
    const texts = errors.slice(0, ERRORS_TOLD).map(errorText).join(", ");
    const more = errors.length > ERRORS_TOLD ? ` and ${errors.length - ERRORS_TOLD} more` : "";
    const what = `failed to orphan dependents of owner ${identityText(owner.identity)}, got errors: ${texts}${more}`;
    throw new AggregateError(errors, what);
  }
  signal.throwIfAborted();
  await removeFinalizer(owner.identity, ORPHAN_FINALIZER, context);
}
