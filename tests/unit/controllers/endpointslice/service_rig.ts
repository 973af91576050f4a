/** Services, pods and nodes for the controller of slices, and one sync after the other. */
import {
  type EndpointSlice,
  formatTime,
  newControllerRef,
  type Node,
  type Pod,
  type Service,
  SERVICES,
  type ServiceSpec,
} from "../../../../src/api/mod.ts";
import {
  MANAGED_BY_LABEL,
  ownSlices,
  SERVICE_NAME_LABEL,
  SliceCounts,
  WrittenSlices,
} from "../../../../src/controllers/endpoint_slices/mod.ts";
import type { EndpointSliceContext } from "../../../../src/controllers/endpointslice/context.ts";
import { PopulatedHints } from "../../../../src/controllers/endpointslice/hints/populated_hints.ts";
import { ServiceMetrics } from "../../../../src/controllers/endpointslice/service_metrics.ts";
import { MANAGER } from "../../../../src/controllers/endpointslice/service_slices.ts";
import { syncService } from "../../../../src/controllers/endpointslice/sync.ts";
import { indexPods, TriggerTimes } from "../../../../src/controllers/service_pods/mod.ts";
import { SliceRig } from "../endpoint_slices/slice_rig.ts";

export const CREATED = "2026-01-01T00:00:00Z";

/** The Service `a/web`, which selects all pods of {@link pods}. */
export function service(
  { metadata, ...spec }: Partial<ServiceSpec> & { readonly metadata?: Service["metadata"] } = {},
): Service {
  return {
    metadata: { namespace: "a", name: "web", uid: "uid-web", creationTimestamp: CREATED, ...metadata },
    spec: {
      selector: { app: "web" },
      ports: [{ name: "http", port: 80, targetPort: 80, protocol: "TCP" }],
      clusterIP: "10.96.0.9",
      ipFamilies: ["IPv4"],
      ...spec,
    },
  };
}

/** How a pod of a test is not as usual. */
export interface PodTraits {
  readonly ready?: boolean;
  readonly deleting?: boolean;
  readonly node?: string;
  readonly ips?: readonly string[];
  readonly phase?: string;
  readonly since?: string;
  readonly spec?: Partial<Pod["spec"]>;
}

export function pod(i: number, traits: PodTraits = {}): Pod {
  const { ready = true, deleting, node = `n${i % 3}`, phase = "Running", since = CREATED, spec } = traits;
  const ips = traits.ips ?? [`10.1.${i >> 8}.${i & 255}`];
  return {
    metadata: {
      namespace: "a",
      name: `p${i}`,
      uid: `uid-p${i}`,
      labels: { app: "web" },
      ...deleting && { deletionTimestamp: CREATED },
    },
    spec: { containers: [], nodeName: node, ...spec },
    status: {
      phase,
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: since }],
    },
  };
}

export function pods(count: number, traits?: PodTraits): Pod[] {
  return Array.from({ length: count }, (_, i) => pod(i, traits));
}

/** A node in the zone of its number. */
export function node(i: number, { cpu = "4", zone = `z${i}`, ready = true, labels = {} } = {}): Node {
  return {
    metadata: { name: `n${i}`, labels: { ...zone && { "topology.kubernetes.io/zone": zone }, ...labels } },
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  };
}

export class ServiceRig extends SliceRig {
  readonly context: EndpointSliceContext;

  constructor({ mostEndpoints = 100 } = {}) {
    super();
    const { world, client, recorder, metrics } = this;
    indexPods(this.pods);
    this.nodes.indexer.replace([node(0), node(1), node(2)], "1");
    this.context = {
      world,
      client,
      recorder,
      services: this.services.lister,
      pods: this.pods.indexer,
      nodes: this.nodes.lister,
      slices: ownSlices(this.slices, MANAGER),
      written: new WrittenSlices(world.clock),
      triggerTimes: new TriggerTimes(),
      hints: new PopulatedHints({ world, nodes: this.nodes.lister }),
      counts: new SliceCounts({
        metrics,
        subsystem: "endpoint_slice_controller",
        of: "Service",
        stability: "BETA",
        mostEndpoints,
        fewestSlices: 1,
      }),
      metrics: new ServiceMetrics(metrics),
      mostEndpoints,
    };
  }

  /** Shows a Service and its pods. */
  show(shown: Service, all?: readonly Pod[]): void {
    this.services.indexer.replace([shown], "1");
    if (all) this.pods.indexer.replace(all, "1");
  }

  /** Syncs `a/web`, and shows what that wrote. @returns The requests. */
  async sync(): Promise<string[]> {
    await this.context.metrics.run(() => syncService("a/web", this.context));
    this.catchUp();
    return this.written();
  }

  /** The numbers of endpoints of the slices on the server, the largest first. */
  get sizes(): string {
    return this.stored.map(({ endpoints }) => (endpoints ?? []).length).sort((a, b) => b - a).join();
  }

  /** Syncs once with slices as another manager has left them behind, each with so many of the pods. */
  async takeOver(shown: Service, all: readonly Pod[], sizes: readonly number[]): Promise<string[]> {
    const other = new ServiceRig();
    other.show(shown, all);
    await other.sync();
    const endpoints = other.stored.flatMap((slice) => slice.endpoints ?? []);
    this.given(...sizes.map((size, i) => slice(`web-${i}`, shown, { endpoints: endpoints.splice(0, size) })));
    this.show(shown, all);
    return await this.sync();
  }
}

/** A slice of a Service as the controller writes it. */
export function slice(name: string, of: Service, more: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: formatTime(0),
      labels: { [SERVICE_NAME_LABEL]: "web", [MANAGED_BY_LABEL]: MANAGER },
      ownerReferences: [newControllerRef(of, SERVICES)],
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: 80, protocol: "TCP" }],
    endpoints: [],
    ...more,
  };
}
