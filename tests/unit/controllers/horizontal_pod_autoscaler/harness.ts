import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  type AutoscalingV2HorizontalPodAutoscaler,
  DEPLOYMENTS,
  findCondition,
  type KubeObject,
  type MetricSpec,
  type Pod,
  type Resource,
  type Scale,
} from "../../../../src/api/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import { NoMatchError } from "../../../../src/client/mod.ts";
import type { AutoscalerContext } from "../../../../src/controllers/horizontal_pod_autoscaler/context.ts";
import { autoscalerHandler } from "../../../../src/controllers/horizontal_pod_autoscaler/handlers.ts";
import { AutoscalerMetrics } from "../../../../src/controllers/horizontal_pod_autoscaler/metrics.ts";
import type { MetricsApi, PodMetrics } from "../../../../src/controllers/horizontal_pod_autoscaler/metrics_api/mod.ts";
import { SelectorRegistry } from "../../../../src/controllers/horizontal_pod_autoscaler/selector_registry.ts";
import { syncAutoscaler } from "../../../../src/controllers/horizontal_pod_autoscaler/sync.ts";
import { Scales } from "../../../../src/controllers/horizontal_pod_autoscaler/target.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { statusError } from "../status_errors.ts";
import { pods } from "./fixtures.ts";

/** An autoscaler `a/h` of the Deployment `a/d`, with metrics, a scale and a status that tests can see and set. */

type Autoscaler = AutoscalingV2HorizontalPodAutoscaler;

export function cpu(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

export class AutoscalerHarness {
  readonly world = new FakeWorld();
  readonly recorder = new FakeRecorder();
  readonly registry = new MetricsRegistry();
  readonly selectors = new SelectorRegistry();
  /** `put deployments/scale 5`, `put status`; reads are not in it. */
  readonly writes: string[] = [];
  /** Keys that wait for the next sync period. */
  readonly queued: string[] = [];
  /** What writes of the scale fail with, one after the other. */
  readonly scaleFailures: Error[] = [];
  scale: Scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { namespace: "a", name: "d", resourceVersion: "1" },
    spec: { replicas: 3 },
    status: { replicas: 3, selector: "app=x" },
  };
  autoscaler: Autoscaler = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "a", name: "h", uid: "uid-h" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      minReplicas: 2,
      maxReplicas: 6,
      metrics: [cpu(30)],
    },
  };
  readonly pods = new Indexer<Pod>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  /** How often metrics were asked for. */
  asked = 0;
  resource: () => PodMetrics = () => new Map();
  external: () => readonly bigint[] = () => [];
  podsMetric: () => PodMetrics = () => new Map();
  object: () => bigint = () => 0n;
  context: AutoscalerContext;

  constructor() {
    const { world, recorder, selectors, registry } = this;
    this.showPods(pods(3));
    const counted = <T>(answer: () => T) => {
      this.asked++;
      return Promise.resolve().then(answer);
    };
    const metricsApi: MetricsApi = {
      resourceMetrics: () => counted(() => this.resource()),
      podsMetrics: () => counted(() => this.podsMetric()),
      objectMetric: () => counted(() => this.object()),
      externalMetrics: () => counted(() => this.external()),
    };
    this.context = {
      world,
      client: {
        updateStatus: <T extends KubeObject & { status?: unknown }>(_: Resource<T>, object: T) => {
          this.writes.push("put status");
          this.autoscaler = JSON.parse(JSON.stringify(object));
          return Promise.resolve(object);
        },
      },
      recorder,
      autoscalers: { get: (_, name) => name === "h" ? this.autoscaler : undefined },
      pods: new Lister(this.pods),
      queue: { addRateLimited: (key) => void this.queued.push(key), forget: () => {} },
      scales: new Scales({ world, client: this.#scaleClient(), mapper: { resourceFor: mapKind } }),
      selectors,
      metricsApi,
      metrics: new AutoscalerMetrics(registry, () => selectors.size),
      settings: {
        tolerance: 0.1,
        downscaleWindowMs: 300_000,
        cpuInitializationMs: 300_000,
        initialReadinessMs: 30_000,
        scalesToZero: false,
        hasOwnTolerance: true,
        hasPodLevel: true,
      },
      histories: new Map(),
    };
    this.handler.onAdd(this.autoscaler, true);
    this.queued.length = 0;
  }

  get handler() {
    return autoscalerHandler(this.context) as Required<ReturnType<typeof autoscalerHandler>>;
  }

  /** Puts pods into the cache, instead of those there. */
  showPods(all: readonly Pod[]): void {
    this.pods.replace([...all], "1");
  }

  /** So many replicas are wanted and there, with pods of theirs. */
  showReplicas(count: number): void {
    this.scale = { ...this.scale, spec: { replicas: count }, status: { ...this.scale.status!, replicas: count } };
    this.showPods(pods(count));
  }

  spec(changes: Partial<Autoscaler["spec"]>): void {
    this.autoscaler = { ...this.autoscaler, spec: { ...this.autoscaler.spec, ...changes } };
  }

  /** Syncs, and gives the number of replicas wanted then. */
  async sync(): Promise<number | undefined> {
    await syncAutoscaler("a/h", this.context);
    return this.scale.spec?.replicas;
  }

  condition(type: string): string {
    const condition = findCondition(this.autoscaler.status?.conditions, type);
    return condition ? `${condition.status} ${condition.reason} ${condition.message}` : "-";
  }

  /** How many syncs went so. */
  reconciled(action: string, error: string): number {
    const name = "horizontal_pod_autoscaler_controller_reconciliations_total";
    return this.registry.counter({ name, help: "", labels: ["action", "error"] }).value([action, error]);
  }

  #scaleClient(): ConstructorParameters<typeof Scales>[0]["client"] {
    return {
      get: <T>() => this.scale ? Promise.resolve(this.scale as T) : Promise.reject(statusError(404, "NotFound")),
      update: <T extends KubeObject>(resource: Resource<T>, object: T) => {
        const { spec, metadata }: Scale = object;
        this.writes.push(`put ${resource.plural}/scale ${spec?.replicas} at ${metadata?.resourceVersion}`);
        const failure = this.scaleFailures.shift();
        if (failure) {
          this.scale = { ...this.scale, metadata: { ...this.scale.metadata, resourceVersion: "2" } };
          return Promise.reject(failure);
        }
        this.scale = { ...this.scale, spec };
        return Promise.resolve(object);
      },
      request: <T>() =>
        Promise.resolve(
          { resources: [{ name: "deployments/scale", kind: "Scale", group: "autoscaling", version: "v1" }] } as T,
        ),
    };
  }
}

function mapKind(query: { readonly group: string; readonly kind: string }) {
  if (query.kind !== "Deployment") return Promise.reject(new NoMatchError(query));
  return Promise.resolve({ verbs: [], subresources: ["scale"], ...DEPLOYMENTS });
}
