import type { LoadBalancerStatus, Node, NodeAddress, Service } from "../api/mod.ts";
import type { ClientBuilder } from "../client/mod.ts";
import type { EventRecorder } from "../events/mod.ts";

/**
 * What a cloud does for a cluster. A capability that is absent is one that the cloud does not have; the controllers that need it
 * do not run. Whether a capability is there must not change.
 *
 * Services and Nodes that are passed in belong to others: they are read only. Of Nodes only what {@link forCloud} leaves is
 * there. Each call ends by `signal` at the latest.
 *
 * Errors mean what their class says ({@link InstanceNotFoundError}, {@link NotImplementedError},
 * {@link ImplementedElsewhereError}, {@link CloudConflictError}, {@link RetryError}). Any other is logged, told of in an event,
 * and what was asked for is asked for again. In doubt throw: "there is none" has Nodes deleted.
 *
 * Upstream: `k8s.io/cloud-provider` (Interface).
 */
export interface CloudProvider {
  /** As `--cloud-provider` and the scheme of `spec.providerID` have it. */
  readonly name: string;
  /** Whether it tells what belongs to this cluster from what belongs to others. */
  readonly hasClusterId: boolean;
  readonly loadBalancers?: LoadBalancers;
  readonly instances?: Instances;
  readonly routes?: Routes;
  /** Called once this process may act, before anything is asked of it, and waited for. */
  initialize?(start: CloudStart): Promise<void>;
}

/** What a provider may use once its process may act. */
export interface CloudStart {
  /** By the names of controllers, whose accounts they use where controllers have their own. */
  readonly clients: ClientBuilder;
  /** Tells users about their objects, as that component, through the client of that name. */
  recorder(component: string, client: string): EventRecorder;
  /** Aborts when the process ends, or may act no longer. */
  readonly signal: AbortSignal;
}

/** Addresses under which Services are reached from outside. */
export interface LoadBalancers {
  /** What there is for the Service; `null` if there is nothing. */
  getLoadBalancer(clusterName: string, service: Service, signal: AbortSignal): Promise<LoadBalancerStatus | null>;
  /**
   * Makes all of it so: ports, targets, health checks, source ranges, what annotations say. Asked for again with nothing
   * changed, it changes nothing.
   */
  ensureLoadBalancer(
    clusterName: string,
    service: Service,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<LoadBalancerStatus>;
  /** Makes the targets so, and nothing else. */
  updateLoadBalancer(
    clusterName: string,
    service: Service,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<void>;
  /** Removes every part of it. That there is nothing any more is no error. */
  ensureLoadBalancerDeleted(clusterName: string, service: Service, signal: AbortSignal): Promise<void>;
}

/** The machines behind Nodes. A machine is found by `spec.providerID` if the Node has one, by the Node's name otherwise. */
export interface Instances {
  /**
   * Whether the machine exists, running or not.
   *
   * A Node that is not ready is deleted if the answer is `false`, and nobody asks twice: if all are said to be gone at once,
   * all are deleted. Say `false` only if the cloud definitely has no such machine: its own "not found" about this very
   * machine, with an account and a project that are known to see the cluster's machines. In any doubt, throw: an outage, a
   * proxy's 404, an expired token, a list that is empty or cut short, the provider ID of another cloud.
   */
  instanceExists(node: Node, signal: AbortSignal): Promise<boolean>;
  /** Whether the machine is stopped. */
  instanceShutdown(node: Node, signal: AbortSignal): Promise<boolean>;
  /** What is known of the machine; `null` if nothing is for now. */
  instanceMetadata(node: Node, signal: AbortSignal): Promise<InstanceMetadata | null>;
}

/** What a cloud knows of a machine. */
export interface InstanceMetadata {
  /** Such as `hcloud://1234`. Absent: the Node must have one already. Empty: machines of this cloud have none. */
  readonly providerID?: string;
  readonly instanceType?: string;
  /** None: the Node keeps what its kubelet says. */
  readonly nodeAddresses?: readonly NodeAddress[];
  readonly zone?: string;
  readonly region?: string;
  /** Labels that the Node gets where it has none of that key, but for those of Kubernetes itself. */
  readonly additionalLabels?: Readonly<Record<string, string>>;
}

/** Ways from one machine's pods to another's, where the cloud's network has to know them. */
export interface Routes {
  /** All that are there for the cluster, those that lead nowhere included. */
  listRoutes(clusterName: string, signal: AbortSignal): Promise<readonly CloudRoute[]>;
  /**
   * @param nameHint The Node's UID.
   * @throws {CloudConflictError} If it may be tried again at once.
   */
  createRoute(clusterName: string, nameHint: string, route: CloudRoute, signal: AbortSignal): Promise<void>;
  /** @param route As it was listed. */
  deleteRoute(clusterName: string, route: CloudRoute, signal: AbortSignal): Promise<void>;
}

/** A way to a range of pod addresses. */
export interface CloudRoute {
  /** The cloud's own name for it. */
  readonly name?: string;
  /** The name of the Node it leads to; empty if it leads to none that is known. */
  readonly targetNode: string;
  /** As Kubernetes writes it, since ranges are compared as texts: `10.0.1.0/24`, `fd00:0:0:1::/64`. */
  readonly destinationCIDR: string;
  /** Whether the addresses of the Node are compared, too. */
  readonly enableNodeAddresses?: boolean;
  readonly targetNodeAddresses?: readonly NodeAddress[];
  /** Whether it leads to a machine that is not known. */
  readonly blackhole?: boolean;
}

/** Of a Node what clouds may look at: what changes with every heartbeat, and images, are left out. */
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
