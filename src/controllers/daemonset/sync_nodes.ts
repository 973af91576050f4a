import { type DaemonSet, DAEMONSETS, newControllerRef, objectKey, type Pod } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import { slowStart } from "../pods/mod.ts";
import { aggregateErrors, refOf, serverSays, startAll } from "../running/mod.ts";
import type { DaemonSetContext } from "./context.ts";
import { templateFor } from "./new_pod.ts";

/** Most pods that one step creates, and most that it deletes. */
const BURST = 250;

/** What nodes get and lose. */
export interface NodeChanges {
  readonly deleted: readonly Pod[];
  /** Nodes that get a pod. */
  readonly needing: readonly string[];
  /** Of the present revision. */
  readonly hash: string;
}

type SyncContext = Pick<DaemonSetContext, "world" | "podControl" | "expectations" | "guard">;

/**
 * Creates and deletes pods, and notes what the caches have to show before the next time.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (syncNodes).
 *
 * @throws {Error} What went wrong with any of them, after all that was tried.
 */
export async function syncNodes(
  daemonSet: DaemonSet,
  { deleted, needing, hash }: NodeChanges,
  context: SyncContext,
): Promise<void> {
  const nodes = needing.slice(0, BURST);
  const pods = deleted.slice(0, BURST);
  context.expectations.set(objectKey(daemonSet), { add: nodes.length, del: pods.length });
  const errors = await createPods(daemonSet, nodes, { hash, ...context });
  errors.push(...await deletePods(daemonSet, pods, context));
  const error = aggregateErrors(errors);
  if (error) throw error;
}

async function createPods(
  daemonSet: DaemonSet,
  nodes: readonly string[],
  { hash, world, podControl, expectations, guard }: SyncContext & Pick<NodeChanges, "hash">,
): Promise<unknown[]> {
  const { successes, errors } = await slowStart(nodes.length, async (i) => {
    try {
      const created = await podControl.create({
        namespace: daemonSet.metadata?.namespace,
        template: templateFor(nodes[i], daemonSet, hash),
        parent: daemonSet,
        controllerRef: newControllerRef(daemonSet, DAEMONSETS),
      });
      guard.wrotePod(created);
    } catch (error) {
      // All will fail until the namespace is gone; there is nothing to do but to let the expectation expire.
      if (!serverSays(error, isNamespaceTerminating)) throw error;
    }
  }, world);
  const missing = nodes.length - successes;
  if (missing > 0) expectations.lower(objectKey(daemonSet), { add: missing });
  return [...errors];
}

async function deletePods(
  daemonSet: DaemonSet,
  pods: readonly Pod[],
  { world, podControl, expectations }: SyncContext,
): Promise<unknown[]> {
  const results = await startAll(pods.length, async (i) => {
    try {
      await podControl.delete(refOf(pods[i]), daemonSet);
    } catch (error) {
      expectations.observeDeletion(objectKey(daemonSet)); // no event will come for it
      if (!serverSays(error, isNotFound)) throw error;
    }
  }, new TurnBudget(world.clock));
  return results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
}
