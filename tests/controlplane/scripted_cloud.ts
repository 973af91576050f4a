/** A cloud that two managers ask in turn: machines, balancers and routes as a test has them, failures as it orders them. */
import type { LoadBalancerStatus, Node, Service } from "../../src/api/mod.ts";
import {
  type CloudDescription,
  CloudError,
  type CloudFailure,
  type CloudProvider,
  type CloudRoute,
  errorOf,
  type InstanceMetadata,
  InstanceNotFoundError,
  methodsOf,
  providerBehind,
} from "../../src/cloud/mod.ts";

/** What was asked. */
export interface AskedCloud {
  readonly method: string;
  /** `namespace/name` of a Service, a Node's name, or the name of the Node that a route leads to; empty for lists. */
  readonly about: string;
  /** Of a balancer: the names of the nodes that came along. Of a route: its range, and the hint for its name. */
  readonly detail: readonly string[];
}

export interface Machine {
  readonly isShutdown?: boolean;
  readonly metadata: InstanceMetadata | null;
}

interface Balancer {
  readonly service: Service;
  nodes: readonly string[];
}

interface Failing {
  readonly failure: CloudFailure;
  times: number;
}

const DESCRIPTION: CloudDescription = {
  name: "judge",
  hasClusterId: true,
  capabilities: ["loadBalancers", "instances", "routes"],
};

export class ScriptedCloud {
  /** In the order in which they came. */
  readonly asked: AskedCloud[] = [];
  /** By the names of Nodes. */
  readonly machines = new Map<string, Machine>();
  /** By the UIDs of Services. */
  readonly balancers = new Map<string, Balancer>();
  /** What balancers get that are not to have the usual address, by `namespace/name`. */
  readonly statuses = new Map<string, LoadBalancerStatus>();
  routes: CloudRoute[] = [];
  readonly provider: CloudProvider;
  readonly #failing = new Map<string, Failing>();
  #ranges = 0;

  constructor(description: CloudDescription = DESCRIPTION) {
    this.provider = providerBehind(description, async ({ method, args }) => await this.#answer(method, args));
  }

  /** Lets calls of a method about something fail, the next `times` of them. */
  fail(method: string, about: string, failure: CloudFailure, times = Infinity): void {
    this.#failing.set(`${method} ${about}`, { failure, times });
  }

  /** Lets calls of a method about something work again. */
  mend(method: string, about: string): void {
    this.#failing.delete(`${method} ${about}`);
  }

  /** How often a method was called about something. */
  times(method: string, about: string): number {
    return this.asked.filter((each) => each.method === method && each.about === about).length;
  }

  /** Ranges of both families that nobody else got, in 10.244.0.0/16 and fd00:10:244::/48. */
  nextRanges(): readonly [string, string] {
    const number = ++this.#ranges;
    return [`10.244.${number}.0/24`, `fd00:10:244:${number.toString(16)}::/64`];
  }

  #answer(method: string, args: readonly unknown[]): unknown {
    const asked = askedBy(method, args);
    this.asked.push(asked);
    const failing = this.#failing.get(`${method} ${asked.about}`);
    if (failing && failing.times-- > 0) throw errorOf(failing.failure);
    return structuredClone(this.#done(method, args, asked)) ?? null;
  }

  #done(method: string, args: readonly unknown[], { about, detail }: AskedCloud): unknown {
    const service = args[1] as Service;
    const uid = service?.metadata?.uid ?? "";
    switch (method) {
      case "getLoadBalancer":
        return this.balancers.has(uid) ? this.#statusOf(about) : null;
      case "ensureLoadBalancer":
        this.balancers.set(uid, { service, nodes: detail });
        return this.#statusOf(about);
      case "updateLoadBalancer": {
        const balancer = this.balancers.get(uid);
        if (!balancer) throw new CloudError("there is no such balancer");
        return void (balancer.nodes = detail);
      }
      case "ensureLoadBalancerDeleted":
        return void this.balancers.delete(uid);
      case "instanceExists":
        return this.#machineOf(args[0] as Node) !== undefined;
      case "instanceShutdown":
        return this.#known(args[0] as Node).isShutdown ?? false;
      case "instanceMetadata":
        return this.#known(args[0] as Node).metadata;
      case "listRoutes":
        return this.routes;
      case "createRoute":
        return void this.routes.push({ ...args[2] as CloudRoute, name: `to ${about}` });
      case "deleteRoute":
        return void this.#deleteRoute(args[1] as CloudRoute);
    }
  }

  #statusOf(about: string): LoadBalancerStatus {
    return this.statuses.get(about) ?? { ingress: [{ ip: "192.0.2.1" }] };
  }

  #machineOf({ metadata, spec }: Node): Machine | undefined {
    const named = this.machines.get(metadata?.name ?? "");
    const id = spec?.providerID;
    if (!id || named?.metadata?.providerID === id) return named;
    const found = [...this.machines.values()].find((machine) => machine.metadata?.providerID === id);
    return found ?? (named && !named.metadata?.providerID ? named : undefined);
  }

  #known(node: Node): Machine {
    const machine = this.#machineOf(node);
    if (!machine) throw new InstanceNotFoundError();
    return machine;
  }

  #deleteRoute({ targetNode, destinationCIDR }: CloudRoute): void {
    const at = this.routes.findIndex((route) =>
      route.targetNode === targetNode && route.destinationCIDR === destinationCIDR
    );
    if (at >= 0) this.routes.splice(at, 1);
  }
}

function askedBy(method: string, args: readonly unknown[]): AskedCloud {
  const nameOf = (node: unknown) => (node as Node).metadata?.name ?? "";
  if (methodsOf("instances").includes(method)) return { method, about: nameOf(args[0]), detail: [] };
  if (methodsOf("routes").includes(method)) {
    if (method === "listRoutes") return { method, about: "", detail: [] };
    const { targetNode, destinationCIDR } = args.at(-1) as CloudRoute;
    const hint = method === "createRoute" ? [String(args[1])] : [];
    return { method, about: targetNode, detail: [destinationCIDR, ...hint] };
  }
  const { namespace, name } = (args[1] as Service).metadata ?? {};
  const nodes = ((args[2] ?? []) as readonly Node[]).map(nameOf).sort();
  return { method, about: `${namespace}/${name}`, detail: nodes };
}
