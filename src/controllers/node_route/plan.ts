import type { Node, NodeAddress } from "../../api/mod.ts";
import type { CloudRoute } from "../../cloud/mod.ts";
import { type Cidr, lastAddress, parseCidr } from "../address_ranges/mod.ts";

/** The action for a node's range: none, or to create its route, which may have to be deleted first. */
export type RouteAction = "keep" | "add" | "update";

/** The changes that follow from the nodes' ranges and the cloud's routes. */
export interface RoutePlan {
  /** Routes that are unwanted or wrong. */
  readonly unwanted: readonly CloudRoute[];
  /** By node name, then range. A node without ranges is included if there are routes to it. */
  readonly actions: ReadonlyMap<string, Map<string, RouteAction>>;
}

/**
 * Compares routes with the nodes' ranges. Ranges are compared as texts.
 * Upstream: `k8s.io/cloud-provider/controllers/route/route_controller.go` (reconcile).
 *
 * @returns The plan, computed in steps: a cloud may list any number of routes.
 */
export function* planRoutes(
  nodes: readonly Node[],
  routes: readonly CloudRoute[],
  clusterRanges: readonly Cidr[],
): Generator<void, RoutePlan> {
  const byNode = new Map<string, CloudRoute[]>();
  for (const { metadata } of nodes) {
    yield;
    byNode.set(metadata?.name ?? "", []);
  }
  for (const route of routes) {
    yield;
    byNode.get(route.targetNode)?.push(route);
  }
  const actions = new Map<string, Map<string, RouteAction>>();
  for (const { metadata, spec, status } of nodes) {
    yield;
    const name = metadata?.name ?? "";
    const ranges = spec?.podCIDRs ?? [];
    const ofNode = byNode.get(name) ?? [];
    if (ranges.length === 0 && ofNode.length === 0) continue;
    actions.set(name, new Map(ranges.map((range) => [range, actionFor(ofNode, range, status?.addresses ?? [])])));
  }
  const isUnwanted = ({ blackhole, targetNode, destinationCIDR }: CloudRoute) => {
    const action = actions.get(targetNode)?.get(destinationCIDR);
    return blackhole || action === undefined || action === "update";
  };
  const unwanted: CloudRoute[] = [];
  for (const route of routes) {
    yield;
    if (isUnwanted(route) && isWithin(route.destinationCIDR, clusterRanges)) unwanted.push(route);
  }
  return { actions, unwanted };
}

function actionFor(routes: readonly CloudRoute[], range: string, addresses: readonly NodeAddress[]): RouteAction {
  const route = routes.find(({ destinationCIDR }) => destinationCIDR === range);
  if (!route) return "add";
  const isRight = !route.enableNodeAddresses || areEqual(addresses, route.targetNodeAddresses ?? []);
  return isRight ? "keep" : "update";
}

function areEqual(some: readonly NodeAddress[], others: readonly NodeAddress[]): boolean {
  const texts = new Set(others.map(({ type, address }) => `${type} ${address}`));
  return some.length === others.length && some.every(({ type, address }) => texts.has(`${type} ${address}`));
}

/** Whether the first or last address of a range is in one of the cluster's. A malformed range is in none. */
export function isWithin(text: string, clusterRanges: readonly Cidr[]): boolean {
  let range: Cidr;
  try {
    range = parseCidr(text);
  } catch {
    return false;
  }
  return [range.base, lastAddress(range)].some((address) =>
    clusterRanges.some((cluster) =>
      cluster.family === range.family && cluster.base <= address && address <= lastAddress(cluster)
    )
  );
}
