/** The health monitor on caches that show what the API server has when they are told to, and on a fake clock. */
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  formatTime,
  type Lease,
  type Node,
  NODES,
  objectKey,
  type ObjectReference,
  type Pod,
  PODS,
} from "../../../../src/api/mod.ts";
import {
  Indexer,
  Lister,
  NAMESPACE_INDEX,
  namespaceOf,
  NODE_NAME_INDEX,
  nodeNameOf,
} from "../../../../src/cache/mod.ts";
import type { LifecycleOptions } from "../../../../src/controllers/node_lifecycle/context.ts";
import { NodeMetrics } from "../../../../src/controllers/node_lifecycle/metrics.ts";
import { HealthMonitor, type MonitorContext } from "../../../../src/controllers/node_lifecycle/monitor.ts";
import { NodeReleases } from "../../../../src/controllers/node_lifecycle/releases.ts";
import { keepTainting } from "../../../../src/controllers/node_lifecycle/taint_pass.ts";
import { Zones } from "../../../../src/controllers/node_lifecycle/zones.ts";
import { WakingTime } from "../../../../src/controllers/nodes/mod.ts";
import { NO_JOURNAL } from "../context.ts";
import { RecordedClient } from "../recorded_client.ts";

const OPTIONS: LifecycleOptions = {
  nodeMonitorPeriodMs: 5_000,
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

export class LifecycleRig {
  readonly world = new FakeWorld();
  readonly metrics = new MetricsRegistry();
  readonly client = new RecordedClient(this.world);
  readonly nodes = new Indexer<Node>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  readonly pods = new Indexer<Pod>({ indexers: { [NAMESPACE_INDEX]: namespaceOf, [NODE_NAME_INDEX]: nodeNameOf } });
  readonly leases = new Indexer<Lease>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  /** `NodeNotReady n`. */
  readonly events: string[] = [];
  readonly context: MonitorContext;
  readonly monitor: HealthMonitor;

  constructor(options: Partial<LifecycleOptions> = {}) {
    const { world, client } = this;
    const common = {
      name: "node-lifecycle-controller",
      world,
      client,
      recorder: {
        event: (object: object, _type: string, reason: string) => {
          const { name, metadata } = object as ObjectReference & Node;
          this.events.push(`${reason} ${metadata?.name ?? name}`);
        },
      },
      options: { ...OPTIONS, ...options },
      time: new WakingTime(world.clock),
      nodes: new Lister(this.nodes),
      pods: new Lister(this.pods),
      podIndexer: this.pods,
      leases: new Lister(this.leases),
      healths: new Map(),
      unmarked: new Set<string>(),
      releases: new NodeReleases({ world, client }),
      metrics: new NodeMetrics(this.metrics, world.clock),
      journal: NO_JOURNAL,
    };
    this.context = { ...common, zones: new Zones(common) };
    this.monitor = new HealthMonitor(this.context);
  }

  /** Has nodes on the API server and in the cache. */
  begin(...nodes: Node[]): void {
    for (const node of this.client.store(NODES, ...nodes)) this.nodes.add(node);
  }

  beginPods(...pods: Pod[]): void {
    for (const pod of this.client.store(PODS, ...pods)) this.pods.add(pod);
  }

  /** Renews the lease of a node. */
  renew(name: string): void {
    const renewTime = formatTime(this.world.clock.wallMs()).replace("Z", ".000000Z");
    this.leases.add({ metadata: { namespace: "kube-node-lease", name }, spec: { renewTime } });
  }

  /** Shows what the API server has. */
  catchUp(): void {
    for (const key of this.nodes.list().map(objectKey)) this.nodes.add(this.client.find(NODES, key)!);
    for (const key of this.pods.list().map(objectKey)) this.pods.add(this.client.find(PODS, key)!);
  }

  /** Lets time pass and looks at all nodes; caches show what came of it. */
  async pass(seconds: number): Promise<void> {
    await this.advance(seconds);
    const stop = new AbortController();
    const passing = this.monitor.pass(stop.signal);
    await this.world.clock.advance(1_000);
    await passing;
    this.catchUp();
  }

  /** Lets time pass as in a process that runs. */
  async advance(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left--) {
      await this.world.clock.advance(1_000);
      this.context.time.nowMs();
    }
  }

  /** Has nodes tainted for some time. */
  async taint(seconds: number): Promise<void> {
    const stop = new AbortController();
    const tainting = keepTainting(this.context, stop.signal);
    await this.advance(seconds);
    stop.abort();
    await tainting;
    this.catchUp();
  }

  /** `unreachable:NoExecute`. */
  taints(name: string): string[] {
    const taints = this.client.find(NODES, name)?.spec?.taints ?? [];
    return taints.map(({ key, effect }) => `${key.split("/")[1]}:${effect}`).sort();
  }

  ready(name: string): string | undefined {
    return this.client.find(NODES, name)?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
  }

  /** Has a node say of itself how it is. */
  say(name: string, status: string): void {
    const node = this.client.find(NODES, name)!;
    this.begin({ ...node, status: { conditions: conditions(status, formatTime(this.world.clock.wallMs())) } });
  }
}

function conditions(status: string, lastHeartbeatTime: string) {
  const others = ["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({ type, status: "False" }));
  return [{ type: "Ready", status, lastHeartbeatTime }, ...others];
}

export interface NodeTraits {
  readonly ready?: string;
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<Node["spec"]>["taints"];
}

export function node(name: string, { ready = "True", zone = "z", labels, taints }: NodeTraits = {}): Node {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { "topology.kubernetes.io/zone": zone, ...labels },
    },
    spec: { taints },
    status: { conditions: conditions(ready, "2026-01-01T00:00:00Z") },
  };
}

/** A pod that runs on a node. */
export function pod(name: string, nodeName: string, ready = "True"): Pod {
  return {
    metadata: { namespace: "a", name, uid: `uid-${name}` },
    spec: { nodeName, containers: [{ name: "c", image: "i" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready }] },
  };
}
