import type { Node, Service } from "../../api/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { CloudProvider, InstanceMetadata } from "../../cloud/mod.ts";

/** What a provider is tried on. Everything that is absent is not tried. */
export interface CloudTestbed {
  /**
   * Makes a provider that is ready to be asked, over a cloud that has the machines below and nothing else. Called once for each
   * case.
   */
  open(): Promise<CloudProvider> | CloudProvider;
  /** By default `kubernetes`. */
  readonly clusterName?: string;
  /** Present exactly if the provider has balancers. */
  readonly balancers?: BalancerTestbed;
  /** Present exactly if the provider knows machines. */
  readonly instances?: InstanceTestbed;
  /** Present exactly if the provider makes routes. */
  readonly routes?: RouteTestbed;
  /** Whose turns are waited for; the platform's by default. */
  readonly clock?: Pick<Clock, "nextTurn" | "setTimer">;
  /**
   * Lets the cloud go on for so many milliseconds, after a provider asked for a retry. By default nothing happens, which is
   * right where a cloud needs no time.
   */
  wait?(ms: number): Promise<void> | void;
}

/** What balancers are tried with. */
export interface BalancerTestbed {
  /** Nodes that balancers can send traffic to, at least two. */
  readonly nodes: readonly [Node, Node, ...Node[]];
  /** What Services of this cloud need besides the usual, such as annotations. By default nothing. */
  service?(service: Service): Service;
  /** How often the cloud was changed so far. With it, it is seen that asking again changes nothing. */
  changes?(): number;
  /** The names of the nodes that a Service's balancer sends traffic to. With it, it is seen that these are right. */
  targets?(service: Service): readonly string[] | Promise<readonly string[]>;
}

/** Machines of the cloud, as the Nodes that run on them. */
export interface InstanceTestbed {
  /** Runs. */
  readonly running: Node;
  /** Is there, and stopped. */
  readonly stopped?: Node;
  /** Is not there. Its provider ID, if it has one, is well-formed. */
  readonly absent: Node;
  /** What is always known of a machine that runs. By default its provider ID. */
  readonly knows?: readonly (keyof InstanceMetadata)[];
}

/** What routes are tried with. */
export interface RouteTestbed {
  /** Nodes that routes can lead to. */
  readonly nodes: readonly [Node, Node];
  /** Two ranges as Kubernetes writes them; those of IPv4 by default. */
  readonly ranges?: readonly [string, string];
}

/** Something that must be true of every provider. */
export interface CloudTestCase {
  readonly name: string;
  /** @throws {CloudConformanceError} If it is not. */
  run(): Promise<void>;
}

/** A provider does not do what controllers rely on. */
export class CloudConformanceError extends Error {
  override readonly name = "CloudConformanceError";
}
