/** A cloud that does as it is told, and remembers what it was asked. */
import type { LoadBalancerStatus, Node, Service } from "../../../src/api/mod.ts";
import {
  type Capability,
  CAPABILITY_NAMES,
  type CloudDescription,
  type CloudProvider,
  type CloudRoute,
  type InstanceMetadata,
  methodsOf,
  providerBehind,
} from "../../../src/cloud/mod.ts";

export interface CloudRequest {
  readonly method: string;
  /** The name of the Service, Node or route it is about; empty for lists. */
  readonly about: string;
  /** The names of the nodes that came along. */
  readonly nodes?: readonly string[];
}

export interface Machine {
  readonly isShutdown?: boolean;
  readonly metadata?: InstanceMetadata | null;
}

export class FakeCloud {
  /** In the order in which they came. */
  readonly requests: CloudRequest[] = [];
  /** What calls of a method fail with, by its name; a function decides for each call. */
  readonly failures = new Map<string, Error | ((request: CloudRequest) => Error | undefined)>();
  /** By the UIDs of Services. */
  readonly balancers = new Map<string, LoadBalancerStatus>();
  /** By the names of Nodes. */
  readonly machines = new Map<string, Machine>();
  routes: CloudRoute[] = [];
  /** What balancers get. */
  status: LoadBalancerStatus = { ingress: [{ ip: "1.2.3.4" }] };
  readonly provider: CloudProvider;

  constructor(description: Partial<CloudDescription> = {}) {
    const capabilities: readonly Capability[] = CAPABILITY_NAMES;
    this.provider = providerBehind(
      { name: "fake", hasClusterId: true, capabilities, ...description },
      ({ method, args }) => this.#answer(method, args),
    );
  }

  /** Calls of these methods, or of all. */
  asked(...methods: string[]): CloudRequest[] {
    return this.requests.filter(({ method }) => methods.length === 0 || methods.includes(method));
  }

  // deno-lint-ignore require-await
  async #answer(method: string, args: readonly unknown[]): Promise<unknown> {
    const request = requestOf(method, args);
    this.requests.push(request);
    const failure = this.failures.get(method);
    const error = typeof failure === "function" ? failure(request) : failure;
    if (error) throw error;
    return structuredClone(this.#done(method, args) ?? null);
  }

  #done(method: string, args: readonly unknown[]): unknown {
    const [first, second, third] = args as [Node & string, Service & CloudRoute & string, CloudRoute];
    const machine = this.machines.get(first?.metadata?.name ?? "");
    const uid = second?.metadata?.uid ?? "";
    switch (method) {
      case "getLoadBalancer":
        return this.balancers.get(uid);
      case "ensureLoadBalancer":
        return this.balancers.set(uid, this.status).get(uid);
      case "ensureLoadBalancerDeleted":
        return void this.balancers.delete(uid);
      case "instanceExists":
        return machine !== undefined;
      case "instanceShutdown":
        return machine?.isShutdown ?? false;
      case "instanceMetadata":
        return machine?.metadata;
      case "listRoutes":
        return this.routes;
      case "createRoute":
        return void this.routes.push(third);
      case "deleteRoute":
        return void (this.routes = this.routes.filter((route) =>
          route.targetNode !== second.targetNode || route.destinationCIDR !== second.destinationCIDR
        ));
    }
  }
}

function requestOf(method: string, args: readonly unknown[]): CloudRequest {
  if (methodsOf("instances").includes(method)) return { method, about: (args[0] as Node).metadata?.name ?? "" };
  if (methodsOf("routes").includes(method)) {
    const route = args.at(-1);
    return { method, about: typeof route === "object" ? (route as CloudRoute).destinationCIDR : "" };
  }
  const nodes = args[2] as readonly Node[] | undefined;
  return {
    method,
    about: (args[1] as Service).metadata?.name ?? "",
    ...nodes && { nodes: nodes.map(({ metadata }) => metadata?.name ?? "") },
  };
}
