/** The controller beside an embedded API server and a cloud that can be scripted. It can crash after any write, and start again. */
import { FakeWorld, MetricsRegistry, parseMetrics } from "../../../../src/base/mod.ts";
import { groupResource, type Node, NODES, objectKey, type Service, SERVICES } from "../../../../src/api/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { callCloud, type CloudProvider, describe, providerBehind } from "../../../../src/cloud/mod.ts";
import type { Controller } from "../../../../src/controllers/mod.ts";
import { SERVICE_LB_CONTROLLER } from "../../../../src/controllers/service_lb/mod.ts";
import { CachedInformer } from "../cached_informer.ts";
import { fakeContext } from "../context.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";

export const FINALIZER = "service.kubernetes.io/load-balancer-cleanup";

/** A Service as the API server has it, of type LoadBalancer unless `spec` says otherwise. */
export function service(name: string, spec: Service["spec"] = {}, metadata: Service["metadata"] = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "a", name, uid: `uid-of-${name}`, ...metadata },
    spec: {
      type: "LoadBalancer",
      ports: [{ port: 80, protocol: "TCP", nodePort: 30080, targetPort: 8080 }],
      sessionAffinity: "None",
      internalTrafficPolicy: "Cluster",
      ...spec.type === "ClusterIP" ? {} : { externalTrafficPolicy: "Cluster", allocateLoadBalancerNodePorts: true },
      ...spec,
    },
    status: { loadBalancer: {} },
  };
}

/** A node; one without a provider ID if that is empty. */
export function node(name: string, metadata: Node["metadata"] = {}, spec: Node["spec"] = {}): Node {
  const providerID = `fake://${name}`;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-of-${name}`, ...metadata },
    spec: { providerID, ...spec },
  };
}

interface RigOptions {
  readonly workers?: number;
  readonly world?: FakeWorld;
  /** Whether the controller sees what it and others write at once; by default it does. */
  readonly isCurrent?: boolean;
}

/** A controller that runs. */
interface Run {
  readonly controller: Controller;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  isDead: boolean;
}

export class BalancerRig {
  readonly world: FakeWorld;
  readonly client: RecordedClient;
  readonly recorder = new FakeRecorder();
  readonly #provider: CloudProvider;
  readonly #options: RigOptions;
  metrics = new MetricsRegistry();
  services = new CachedInformer<Service>();
  nodes = new CachedInformer<Node>();
  /** After how many more writes to cluster and cloud the controller dies. */
  writesLeft = Infinity;
  #run: Run | undefined;

  constructor(provider: CloudProvider, options: RigOptions = {}) {
    this.#provider = provider;
    this.#options = options;
    this.world = options.world ?? new FakeWorld();
    this.client = new RecordedClient(this.world);
    this.client.onChange = ({ of, object, isGone }) => {
      const [informer, resource] = of === groupResource(SERVICES) ? [this.services, SERVICES] : [this.nodes, NODES];
      if (of !== groupResource(resource) || this.#options.isCurrent === false) return;
      if (isGone) informer.remove(objectKey(object));
      else informer.set({ apiVersion: "v1", kind: resource.kind, ...object } as Service & Node);
    };
  }

  /** Starts the controller, with what the API server has by now. */
  async start(): Promise<void> {
    this.metrics = new MetricsRegistry();
    const services = this.services = new CachedInformer<Service>();
    const nodes = this.nodes = new CachedInformer<Node>();
    const run = { stop: new AbortController(), isDead: false } as { -readonly [K in keyof Run]: Run[K] };
    const { world, metrics } = this;
    const informers = [[SERVICES, services], [NODES, nodes]] as const;
    const client: Pick<Client, "patchMetadata"> = {
      patchMetadata: (...args) => this.#mortally(run, () => this.client.patchMetadata(...args)),
    };
    const cloud = providerBehind(describe(this.#provider), (call, signal) => {
      const ask = () => callCloud(this.#provider, call, signal);
      return call.method.startsWith("get") ? ask() : this.#mortally(run, ask);
    });
    const recorder = () => run.isDead ? new FakeRecorder() : this.recorder;
    const context = { ...fakeContext({ world, metrics, client, informers }), recorder, cloud };
    const { workers = 1 } = this.#options;
    run.controller = SERVICE_LB_CONTROLLER.build!(context, { workers, clusterName: "kubernetes" }) as Controller;
    this.show();
    run.ended = run.controller.run(run.stop.signal);
    this.#run = run;
    await this.settle();
  }

  /** Shows the controller what the API server has. */
  show(): void {
    for (const key of this.services.indexer.list().map(objectKey)) {
      if (!this.client.find(SERVICES, key)) this.services.remove(key);
    }
    for (const key of this.nodes.indexer.list().map(objectKey)) {
      if (!this.client.find(NODES, key)) this.nodes.remove(key);
    }
    for (const object of this.client.all(NODES)) this.nodes.set(object);
    for (const object of this.client.all(SERVICES)) this.services.set(object);
  }

  /** Puts objects on the API server, as they are. */
  put(...objects: (Service | Node)[]): void {
    for (const object of objects) {
      if (object.kind === "Node") this.client.store(NODES, object as Node);
      else this.client.store(SERVICES, object as Service);
    }
  }

  find(name: string): Service | undefined {
    return this.client.find(SERVICES, `a/${name}`);
  }

  /** Changes a Service, as a user does. */
  async change(name: string, change: (service: Service) => void): Promise<void> {
    const changed = this.find(name)!;
    change(changed);
    await this.client.update(SERVICES, changed);
    await this.settle();
  }

  async delete(name: string): Promise<void> {
    await this.client.delete(SERVICES, { namespace: "a", name });
    await this.settle();
  }

  /** Replays the caches, as every 30 s. */
  async resync(): Promise<void> {
    for (const object of this.services.indexer.list()) this.services.set(object);
    await this.settle();
  }

  async settle(ms = 1): Promise<void> {
    await this.world.clock.advance(ms);
  }

  /** What the controller wrote to the API server since this was asked last, and its events. */
  said(): { writes: string[]; events: string[] } {
    const { lines } = this.client;
    const writes = lines.filter((line) => line.startsWith("patch "));
    this.client.calls.length = 0;
    return { writes, events: this.recorder.lines.splice(0) };
  }

  metric(name: string): number {
    const samples = parseMetrics(this.metrics.render()).flatMap(({ samples }) => samples);
    return samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);
  }

  /** Whether the controller died of {@link writesLeft}. */
  get isDead(): boolean {
    return this.#run?.isDead ?? false;
  }

  /** Ends the controller as SIGKILL does: what is under way goes nowhere. */
  kill(): void {
    if (!this.#run) return;
    this.#run.isDead = true;
    this.#run.stop.abort();
  }

  async end(): Promise<void> {
    const run = this.#run!;
    run.stop.abort();
    if (!run.isDead) await run.ended;
  }

  /** Writes for as long as the controller lives. */
  async #mortally<T>(run: Run, write: () => Promise<T>): Promise<T> {
    const nothing = new Promise<never>(() => {});
    if (run.isDead) return await nothing;
    const result = await write();
    if (--this.writesLeft === 0) this.kill();
    return run.isDead ? await nothing : result;
  }
}
