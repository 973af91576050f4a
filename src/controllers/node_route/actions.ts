import { findCondition, formatDuration, formatTime, type Node, NODES, objectKey } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { type ConflictRetry, isConflict, retryOnConflict } from "../../client/mod.ts";
import { CloudConflictError, type CloudRoute } from "../../cloud/mod.ts";
import { refOf } from "../running/mod.ts";
import type { RouteContext } from "./context.ts";

/** Upstream: updateNetworkConditionBackoff. */
const RETRY: ConflictRetry = { tries: 5, initialMs: 100, factor: 1, jitter: 1 };

/** The content of the condition NetworkUnavailable. */
const AVAILABLE = { status: "False", reason: "RouteCreated", message: "RouteController created a route" };
const UNAVAILABLE = { status: "True", reason: "NoRouteCreated", message: "RouteController failed to create a route" };

/** Removes a route. Failures are only logged, because the next pass retries. */
export async function deleteRoute(route: CloudRoute, context: RouteContext, signal: AbortSignal): Promise<void> {
  const { world: { log }, routes, clusterName } = context;
  const shown = { route: route.name, range: route.destinationCIDR, node: route.targetNode };
  try {
    await routes.deleteRoute(clusterName, route, signal);
    log.info("Deleted route", shown);
  } catch (err) {
    log.error("Could not delete route", { err, ...shown });
  }
}

/**
 * Creates the route to a node's range. Conflicts are retried; each failure is recorded in an event.
 *
 * @returns Whether it succeeded.
 */
export async function createRoute(
  node: Node,
  range: string,
  context: RouteContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { world, routes, clusterName, recorder } = context;
  const { name = "", uid = "" } = node.metadata ?? {};
  const route = { targetNode: name, targetNodeAddresses: node.status?.addresses ?? [], destinationCIDR: range };
  const tryIt = async () => {
    const beganMs = world.clock.monotonicMs();
    try {
      await routes.createRoute(clusterName, uid, route, signal);
    } catch (error) {
      const took = formatDuration(world.clock.monotonicMs() - beganMs);
      const message = `Could not create route ${uid} ${range} for node ${name} after ${took}: ${errorText(error)}`;
      recorder.event({ apiVersion: "v1", kind: "Node", name, uid }, "Warning", "FailedToCreateRoute", message);
      throw error;
    }
  };
  try {
    const isRetriable = (error: unknown) => error instanceof CloudConflictError;
    await retryOnConflict(world, tryIt, { retry: RETRY, signal, isRetriable });
    world.log.info("Created route", { node: name, range });
    return true;
  } catch (err) {
    world.log.error("Could not create route", { err, node: name, range });
    return false;
  }
}

/**
 * Sets a node's network condition, unless it is set already. Failures are only logged, because the next pass retries.
 */
export async function writeNetworkCondition(node: Node, isAvailable: boolean, context: RouteContext): Promise<void> {
  const { world, client } = context;
  const wanted = isAvailable ? AVAILABLE : UNAVAILABLE;
  const present = findCondition(node.status?.conditions, "NetworkUnavailable");
  if (present?.status === wanted.status && present.reason === wanted.reason) return;
  try {
    await retryOnConflict(world, async () => {
      const now = formatTime(world.clock.wallMs());
      const condition = { type: "NetworkUnavailable", ...wanted, lastHeartbeatTime: now, lastTransitionTime: now };
      const body = { metadata: { uid: node.metadata?.uid }, status: { conditions: [condition] } };
      await client.patchMetadata(NODES, refOf(node), { type: "strategic", body, subresource: "status" });
    }, { retry: RETRY, isRetriable: isConflict });
  } catch (err) {
    world.log.error("Failed to update networking condition", { err, node: objectKey(node) });
  }
}
