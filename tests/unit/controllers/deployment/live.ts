import { FakeWorld, MetricsRegistry, settle } from "../../../../src/base/mod.ts";
import {
  apiVersionOf,
  type Deployment,
  DEPLOYMENTS,
  formatTime,
  groupResource,
  objectKey,
  type Pod,
  PODS,
  type ReplicaSet,
  REPLICASETS,
  type Resource,
} from "../../../../src/api/mod.ts";
import { InformerFactory } from "../../../../src/cache/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import type { ControllerContext } from "../../../../src/controllers/mod.ts";
import { NO_JOURNAL } from "../context.ts";
import { DEPLOYMENT_CONTROLLER } from "../../../../src/controllers/deployment/mod.ts";
import { REPLICASET_CONTROLLER } from "../../../../src/controllers/replicaset/mod.ts";
import { ManualSource } from "../../cache/fixtures.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient, type StoredChange } from "../recorded_client.ts";

const WATCHED: readonly Resource[] = [DEPLOYMENTS, REPLICASETS, PODS];

/**
 * The Deployment and the ReplicaSet controller at work on a server in memory, with informers between, in a fake world whose
 * kubelet makes each pod ready a second after its creation.
 */
export class LiveDeployments implements AsyncDisposable {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly recorder = new FakeRecorder();
  readonly metrics = new MetricsRegistry();
  /** Whether pods of this image become ready. */
  isHealthy: (image: string) => boolean = () => true;
  readonly #stop = new AbortController();
  readonly #sources = new Map(WATCHED.map((resource) => [groupResource(resource), new ManualSource()]));
  readonly #informers: InformerFactory;
  #sent: Promise<void> = Promise.resolve();
  #running: Promise<unknown> = Promise.resolve();

  constructor() {
    const { world, metrics, recorder } = this;
    const client = this.client as unknown as Client; // the fake has the verbs that controllers use
    const source = (resource: Resource) => this.#sources.get(groupResource(resource))!;
    this.#informers = new InformerFactory({ world, client, source });
    this.client.onChange = (change) => this.#onChange(change);
    const context = {
      world,
      metrics,
      clients: { client: () => client },
      informers: this.#informers,
      gates: new Set([
        "DeploymentReplicaSetTerminatingReplicas",
        "PodDeletionCost",
        "StaleControllerConsistencyReplicaSet",
      ]),
      recorder: () => recorder,
      journal: NO_JOURNAL,
    } as unknown as ControllerContext; // the rest of the context is of no concern to these two
    const controllers = [DEPLOYMENT_CONTROLLER, REPLICASET_CONTROLLER].map(({ build }) =>
      build(context, { workers: 5 })
    );
    this.#running = Promise.all(controllers.map(async (controller) => (await controller)?.run(this.#stop.signal)));
  }

  async start(): Promise<void> {
    this.#informers.start(this.#stop.signal);
    await settle();
    for (const source of this.#sources.values()) await source.list([], 1);
  }

  /** Creates a Deployment, or changes its spec. */
  apply(wanted: Deployment, spec: Partial<Deployment["spec"]> = {}): void {
    const stored = this.client.find(DEPLOYMENTS, objectKey(wanted));
    if (!stored) return void this.client.store(DEPLOYMENTS, wanted);
    const metadata = { ...stored.metadata, generation: (stored.metadata?.generation ?? 0) + 1 };
    this.client.store(DEPLOYMENTS, { ...stored, metadata, spec: { ...stored.spec!, ...spec } });
  }

  /** Lets `seconds` pass. */
  async pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds * 20; i++) {
      await this.world.clock.advance(50);
      await this.#sent;
      await settle();
    }
  }

  /** The messages of the events with this reason. */
  events(reason: string): string[] {
    return this.recorder.lines.filter((line) => line.includes(` ${reason} `)).map((line) =>
      line.split(" ").slice(3).join(" ")
    );
  }

  get deployment(): Deployment | undefined {
    return this.client.all(DEPLOYMENTS)[0];
  }

  /** The ReplicaSet whose template has this image. */
  replicaSet(image: string): ReplicaSet | undefined {
    return this.client.all(REPLICASETS).find(({ spec }) => spec?.template?.spec?.containers[0].image === image);
  }

  get podCount(): number {
    return this.client.all(PODS).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#informers.shutdown();
  }

  #onChange({ of, object, old, isGone }: StoredChange): void {
    const resource = WATCHED.find((watched) => groupResource(watched) === of);
    if (!resource) return;
    const type = isGone ? "DELETED" : old ? "MODIFIED" : "ADDED";
    const shown = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
    this.#sent = this.#sent.then(() => this.#sources.get(of)?.events([type, shown]));
    if (resource === PODS && type === "ADDED") this.#run(object);
  }

  /** The kubelet's part. */
  #run(created: Pod): void {
    this.world.clock.setTimer(1000, () => {
      const pod = this.client.find(PODS, objectKey(created));
      if (!pod) return;
      const isReady = this.isHealthy(pod.spec?.containers[0].image ?? "");
      const lastTransitionTime = formatTime(this.world.clock.wallMs());
      const conditions = [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime }];
      this.client.store(PODS, { ...pod, status: { phase: "Running", conditions } });
    });
  }
}
