import type { Node } from "../../api/mod.ts";
import type { CloudRoute } from "../../cloud/mod.ts";
import type { RouteTestbed } from "./testbed.ts";
import { expect, expectEqual, outcomeOf, type Trial } from "./trial.ts";

/** Test cases for routes, by name. */
export type RouteCases = Readonly<Record<string, (trial: RouteTrial) => Promise<void>>>;

/** Routes under test. */
export class RouteTrial {
  readonly #trial: Trial;
  readonly #nodes: readonly [Node, Node];
  readonly #ranges: readonly [string, string];

  constructor(trial: Trial, { nodes, ranges = ["10.244.1.0/24", "10.244.2.0/24"] }: RouteTestbed) {
    this.#trial = trial;
    this.#nodes = nodes;
    this.#ranges = ranges;
  }

  /** The route to one of the two nodes. */
  route(i: 0 | 1): CloudRoute {
    const { metadata, status } = this.#nodes[i];
    return {
      targetNode: metadata?.name ?? "",
      destinationCIDR: this.#ranges[i],
      targetNodeAddresses: status?.addresses,
    };
  }

  /** Where the routes lead, in order. */
  async listed(): Promise<(readonly [string, string])[]> {
    const routes = await this.list();
    return routes.map(({ targetNode, destinationCIDR }) => [targetNode, destinationCIDR] as const)
      .sort(([, a], [, b]) => a < b ? -1 : 1);
  }

  async list(): Promise<readonly CloudRoute[]> {
    const { provider, clusterName, signal } = this.#trial;
    return await provider.routes!.listRoutes(clusterName, signal);
  }

  async create(i: 0 | 1, signal: AbortSignal = this.#trial.signal): Promise<void> {
    const { provider, clusterName } = this.#trial;
    const { metadata } = this.#nodes[i];
    await this.#trial.patiently(() =>
      provider.routes!.createRoute(clusterName, metadata?.uid ?? "", { ...this.route(i), name: "ignored" }, signal)
    );
  }

  async remove(route: CloudRoute): Promise<void> {
    const { provider, clusterName, signal } = this.#trial;
    await this.#trial.patiently(() => provider.routes!.deleteRoute(clusterName, route, signal));
  }

  ends: Trial["ends"] = (what, call) => this.#trial.ends(what, call);
}

function wayOf({ targetNode, destinationCIDR }: CloudRoute): readonly [string, string] {
  return [targetNode, destinationCIDR];
}

export const ROUTE_CASES: RouteCases = {
  "routes are listed as they were created": async (trial) => {
    await trial.create(0);
    await trial.create(1);
    expectEqual(await trial.listed(), [wayOf(trial.route(0)), wayOf(trial.route(1))], "The list of routes");
  },
  "routes to known nodes are not black holes": async (trial) => {
    await trial.create(0);
    expect(
      (await trial.list()).every(({ blackhole }) => !blackhole),
      "A route to a known node is listed as a black hole",
    );
  },
  "no route is there twice": async (trial) => {
    await trial.create(0);
    await outcomeOf(trial.create(0)); // it may fail
    expectEqual(await trial.listed(), [wayOf(trial.route(0))], "The list of routes after one was created twice");
  },
  "a route that was deleted is gone, and the others are not": async (trial) => {
    await trial.create(0);
    await trial.create(1);
    const first = (await trial.list()).find(({ destinationCIDR }) =>
      destinationCIDR === trial.route(0).destinationCIDR
    );
    expect(first !== undefined, "A route that was created is not listed");
    await trial.remove(first);
    expectEqual(await trial.listed(), [wayOf(trial.route(1))], "The list of routes after one was deleted");
  },
  "a route that was deleted can be created again": async (trial) => {
    await trial.create(0);
    await trial.remove((await trial.list())[0]);
    await trial.create(0);
    expectEqual(await trial.listed(), [wayOf(trial.route(0))], "The list of routes");
  },
  "no route is created once the call's signal has aborted": async (trial) => {
    const { error } = await trial.ends("createRoute", trial.create(0, AbortSignal.abort()));
    expect(error !== undefined, "createRoute succeeded although its signal had aborted");
    expectEqual(await trial.listed(), [], "The list of routes after a call whose signal had aborted");
  },
};
