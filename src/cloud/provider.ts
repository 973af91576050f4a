import type { LoadBalancerStatus, Node, NodeAddress, Service } from "../api/mod.ts";
import type { ClientBuilder } from "../client/mod.ts";
import type { EventRecorder } from "../events/mod.ts";

/**
 * A cloud's services for a cluster. The controllers that need an absent capability do not run. The set of capabilities
 * must not change.
 *
 * Services and Nodes in arguments are shared and must not be modified. Nodes only contain what {@link forCloud} keeps.
 * Each call must end when `signal` aborts.
 *
 * Errors mean what their class says ({@link InstanceNotFoundError}, {@link NotImplementedError}, {@link
 * ImplementedElsewhereError}, {@link CloudConflictError}, {@link RetryError}). Any other is logged, recorded in an
 * event, and the call is retried. When in doubt, throw: "does not exist" leads to the deletion of Nodes.
 *
 * Upstream: `k8s.io/cloud-provider` (Interface).
 */
export interface CloudProvider {
  /** Used in `--cloud-provider` and as the scheme of `spec.providerID`. */
  readonly name: string;
  /** Whether it can tell this cluster's resources from those of others. */
  readonly hasClusterId: boolean;
  readonly loadBalancers?: LoadBalancers;
  readonly instances?: Instances;
  readonly routes?: Routes;
  /** Called and awaited once this process may act, before any other method. */
  initialize?(start: CloudStart): Promise<void>;
}

/** What a provider may use once its process may act. */
export interface CloudStart {
  /** Clients by controller name; they use the controller's account if controllers have their own. */
  readonly clients: ClientBuilder;
  /** Records events about users' objects as `component`, through the client called `client`. */
  recorder(component: string, client: string): EventRecorder;
  /** Aborts when the process ends or may no longer act. */
  readonly signal: AbortSignal;
}

/** Makes Services reachable from outside the cluster. */
export interface LoadBalancers {
  /** The Service's load balancer; `null` if there is none. */
  getLoadBalancer(clusterName: string, service: Service, signal: AbortSignal): Promise<LoadBalancerStatus | null>;
  /**
   * Creates or updates the load balancer: ports, targets, health checks, source ranges, and whatever annotations
   * request. Idempotent.
   */
  ensureLoadBalancer(
    clusterName: string,
    service: Service,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<LoadBalancerStatus>;
  /** Updates the targets only. */
  updateLoadBalancer(
    clusterName: string,
    service: Service,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<void>;
  /** Removes every part of it. It is not an error if nothing exists. */
  ensureLoadBalancerDeleted(clusterName: string, service: Service, signal: AbortSignal): Promise<void>;
}

/**
 * The machines behind Nodes. A machine is found by `spec.providerID` if the Node has one, by the Node's name otherwise.
 */
export interface Instances {
  /**
   * Whether the machine exists, running or not.
   *
   * If the answer is `false`, a Node that is not ready is deleted without asking again; if all are reported gone at
   * once, all are deleted. Return `false` only if the cloud definitely has no such machine: its own "not found" about
   * this machine, with an account and a project that are known to see the cluster's machines. When in doubt, throw: on
   * an outage, a proxy's 404, an expired token, an empty or truncated list, or another cloud's provider ID.
   */
  instanceExists(node: Node, signal: AbortSignal): Promise<boolean>;
  /** Whether the machine is stopped. */
  instanceShutdown(node: Node, signal: AbortSignal): Promise<boolean>;
  /** The machine's metadata; `null` if it is not available yet. */
  instanceMetadata(node: Node, signal: AbortSignal): Promise<InstanceMetadata | null>;
}

/** A cloud's data about a machine. */
export interface InstanceMetadata {
  /** Such as `hcloud://1234`. Absent: the Node must already have one. Empty: this cloud's machines have none. */
  readonly providerID?: string;
  readonly instanceType?: string;
  /** If empty, the Node keeps its kubelet's addresses. */
  readonly nodeAddresses?: readonly NodeAddress[];
  readonly zone?: string;
  readonly region?: string;
  /** Labels to add to the Node unless it has the key; Kubernetes' own labels are ignored. */
  readonly additionalLabels?: Readonly<Record<string, string>>;
}

/** Routes between machines' pods, for clouds whose network needs them. */
export interface Routes {
  /** All of the cluster's routes, including blackholes. */
  listRoutes(clusterName: string, signal: AbortSignal): Promise<readonly CloudRoute[]>;
  /**
   * @param nameHint The Node's UID.
   * @throws {CloudConflictError} If it may be retried at once.
   */
  createRoute(clusterName: string, nameHint: string, route: CloudRoute, signal: AbortSignal): Promise<void>;
  /** @param route As returned by `listRoutes`. */
  deleteRoute(clusterName: string, route: CloudRoute, signal: AbortSignal): Promise<void>;
}

/** A route to a range of pod addresses. */
export interface CloudRoute {
  /** The cloud's own name for it. */
  readonly name?: string;
  /** The name of the Node it leads to; empty if that is unknown. */
  readonly targetNode: string;
  /** In Kubernetes' format, because ranges are compared as texts: `10.0.1.0/24`, `fd00:0:0:1::/64`. */
  readonly destinationCIDR: string;
  /** Whether the Node's addresses are also compared. */
  readonly enableNodeAddresses?: boolean;
  readonly targetNodeAddresses?: readonly NodeAddress[];
  /** Whether it leads to an unknown machine. */
  readonly blackhole?: boolean;
}

/** The part of a Node that clouds may see: without images, and without what changes with every heartbeat. */
export function forCloud({ apiVersion, kind, metadata, spec, status }: Node): Node {
  const { name, uid, labels, annotations, creationTimestamp, deletionTimestamp } = metadata ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, uid, labels, annotations, creationTimestamp, deletionTimestamp },
    spec,
    status: { addresses: status?.addresses, nodeInfo: status?.nodeInfo },
  };
}
