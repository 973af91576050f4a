import type { Node } from "../../api/mod.ts";
import { errorText, parallelize, TurnBudget } from "../../base/mod.ts";
import { createRoute, deleteRoute, writeNetworkCondition } from "./actions.ts";
import type { RouteContext } from "./context.ts";
import { planRoutes, type RoutePlan } from "./plan.ts";

/** How many cloud calls and patches run at a time. */
const AT_ONCE = 200;

/**
 * Makes the cloud's routes match the nodes' ranges, and sets each node's network condition.
 * Upstream: `k8s.io/cloud-provider/controllers/route/route_controller.go` (reconcileNodeRoutes).
 *
 * @throws {Error} If the routes could not be listed; nothing is done then.
 */
export async function reconcileRoutes(context: RouteContext, signal: AbortSignal): Promise<void> {
  const { world, routes: cloud, clusterName, clusterRanges, nodes: lister } = context;
  context.onPass();
  const routes = await cloud.listRoutes(clusterName, signal).catch((cause) => {
    throw new Error(`error listing routes: ${errorText(cause)}`, { cause });
  });
  const nodes = lister.list();
  const { unwanted, actions } = await new TurnBudget(world.clock).run(planRoutes(nodes, routes, clusterRanges));
  const missing = nodes.flatMap((node) =>
    (node.spec?.podCIDRs ?? []).flatMap((range) =>
      actions.get(node.metadata?.name ?? "")?.get(range) === "keep" ? [] : [{ node, range }]
    )
  );
  const work = [
    unwanted.map((route) => () => deleteRoute(route, context, signal)),
    missing.map(({ node, range }) => async () => {
      if (await createRoute(node, range, context, signal)) actions.get(node.metadata?.name ?? "")?.set(range, "keep");
    }),
  ];
  // A route to replace must be deleted first.
  for (const each of routes[0]?.enableNodeAddresses ? work : [work.flat()]) {
    await parallelize(AT_ONCE, each.length, (i) => each[i](), signal);
  }
  if (!signal.aborted) await writeConditions(nodes, actions, context, signal);
}

async function writeConditions(
  nodes: readonly Node[],
  actions: RoutePlan["actions"],
  context: RouteContext,
  signal: AbortSignal,
): Promise<void> {
  await parallelize(AT_ONCE, nodes.length, async (i) => {
    const ofNode = actions.get(nodes[i].metadata?.name ?? "");
    if (!ofNode) return;
    const isAvailable = ofNode.size > 0 && [...ofNode.values()].every((action) => action === "keep");
    await writeNetworkCondition(nodes[i], isAvailable, context);
  }, signal);
}
