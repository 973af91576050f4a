import type { Node, Service } from "../../api/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { CloudProvider, InstanceMetadata } from "../../cloud/mod.ts";

/** The environment for testing a provider. Absent parts are not tested. */
export interface CloudTestbed {
  /** Makes an initialized provider over a cloud with the machines below and nothing else. Called once for each case. */
  open(): Promise<CloudProvider> | CloudProvider;
  /** By default `kubernetes`. */
  readonly clusterName?: string;
  /** Present exactly if the provider has balancers. */
  readonly balancers?: BalancerTestbed;
  /** Present exactly if the provider has instances. */
  readonly instances?: InstanceTestbed;
  /** Present exactly if the provider has routes. */
  readonly routes?: RouteTestbed;
  /** The clock to wait with; the platform's by default. */
  readonly clock?: Pick<Clock, "nextTurn" | "setTimer">;
  /**
   * Lets `ms` milliseconds pass in the cloud after a provider asked for a retry. By default it does nothing, which
   * suits clouds that need no time.
   */
  wait?(ms: number): Promise<void> | void;
}

/** The environment for testing balancers. */
export interface BalancerTestbed {
  /** Nodes that balancers can send traffic to, at least two. */
  readonly nodes: readonly [Node, Node, ...Node[]];
  /** Adds what this cloud's Services need, such as annotations. By default nothing. */
  service?(service: Service): Service;
  /** How often the cloud was changed so far; used to test that repeated calls change nothing. */
  changes?(): number;
  /** The names of the nodes that a Service's balancer sends traffic to; used to test that they are right. */
  targets?(service: Service): readonly string[] | Promise<readonly string[]>;
}

/** The cloud's machines, represented by their Nodes. */
export interface InstanceTestbed {
  /** A Node whose machine runs. */
  readonly running: Node;
  /** A Node whose machine is stopped. */
  readonly stopped?: Node;
  /** A Node without a machine. Its provider ID, if any, is well-formed. */
  readonly absent: Node;
  /** The metadata that a running machine always has. By default its provider ID. */
  readonly knows?: readonly (keyof InstanceMetadata)[];
}

/** The environment for testing routes. */
export interface RouteTestbed {
  /** Nodes that routes can lead to. */
  readonly nodes: readonly [Node, Node];
  /** Two ranges in Kubernetes' format; IPv4 by default. */
  readonly ranges?: readonly [string, string];
}

/** A requirement of every provider. */
export interface CloudTestCase {
  readonly name: string;
  /** @throws {CloudConformanceError} If it is not met. */
  run(): Promise<void>;
}

/** A provider does not do what controllers rely on. */
export class CloudConformanceError extends Error {
  override readonly name = "CloudConformanceError";
}
