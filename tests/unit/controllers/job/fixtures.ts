import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  type Job,
  JOBS,
  type JobSpec,
  type JobStatus,
  newControllerRef,
  type Pod,
  PODS,
} from "../../../../src/api/mod.ts";
import {
  ConsistencyStore,
  controllerIndexOf,
  type EventHandler,
  Lister,
  POD_CONTROLLER_INDEX,
} from "../../../../src/cache/mod.ts";
import { Expectations, PodControl } from "../../../../src/controllers/pods/mod.ts";
import { WriteGuard } from "../../../../src/controllers/running/mod.ts";
import type { JobContext } from "../../../../src/controllers/job/context.ts";
import { FinalizerExpectations } from "../../../../src/controllers/job/finalizer_expectations.ts";
import { jobHandler, podHandler } from "../../../../src/controllers/job/handlers.ts";
import { JobMetrics } from "../../../../src/controllers/job/metrics.ts";
import { TRACKING_FINALIZER } from "../../../../src/controllers/job/names.ts";
import { syncOrphans } from "../../../../src/controllers/job/orphans.ts";
import { syncJob } from "../../../../src/controllers/job/sync.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { FakeCache } from "../fake_cache.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { ago } from "../fake_times.ts";

export const INDEXED = { completionMode: "Indexed" } as const;

/** A Job `a/j` for pods with label `app: x`, with the server's defaults. */
export function job(
  spec: Partial<JobSpec> = {},
  { status, ...metadata }: Job["metadata"] & { status?: JobStatus } = {},
): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { namespace: "a", name: "j", uid: "uid-j", generation: 1, ...metadata },
    spec: {
      parallelism: 1,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      suspend: false,
      podReplacementPolicy: "TerminatingOrFailed",
      selector: { matchLabels: { app: "x" } },
      template: {
        metadata: { labels: { app: "x" } },
        spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
      },
      ...spec,
    },
    status: status ?? {},
  };
}

export type PodTraits = Pod["metadata"] & {
  phase?: string;
  index?: number | string;
  /** What its annotation says of earlier failures of its index. */
  failures?: string;
  ignored?: string;
  isReady?: boolean;
  /** Its container's exit code, and how many seconds ago it ended. */
  exitCode?: number;
  endedAgo?: number;
  restarts?: number;
  node?: string;
  /** Whether the Job `a/j` controls it; default true. */
  isOwned?: boolean;
  /** Default true. */
  hasFinalizer?: boolean;
};

/** A pod of the Job `a/j`: running, not ready, with the finalizer, unless told otherwise. */
export function pod(name: string, traits: PodTraits = {}): Pod {
  const { phase = "Running", index, failures, ignored, isReady, exitCode, endedAgo = 0, restarts = 0, ...more } =
    traits;
  const { isOwned = true, hasFinalizer = true, node, ...metadata } = more;
  const annotations = {
    ...index === undefined ? {} : { "batch.kubernetes.io/job-completion-index": String(index) },
    ...failures === undefined ? {} : { "batch.kubernetes.io/job-index-failure-count": failures },
    ...ignored === undefined ? {} : { "batch.kubernetes.io/job-index-ignored-failure-count": ignored },
  };
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  const terminated = { exitCode: exitCode ?? (phase === "Failed" ? 1 : 0), finishedAt: ago(endedAgo) };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      labels: { app: "x" },
      annotations,
      creationTimestamp: ago(3600),
      ownerReferences: isOwned ? [newControllerRef(job(), JOBS)] : undefined,
      finalizers: hasFinalizer ? [TRACKING_FINALIZER] : undefined,
      ...metadata,
    },
    spec: { containers: [{ name: "c", image: "i" }], nodeName: node },
    status: {
      phase,
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: ago(endedAgo) }],
      containerStatuses: [{
        name: "c",
        image: "",
        imageID: "",
        ready: Boolean(isReady),
        restartCount: restarts,
        state: hasEnded ? { terminated } : { running: {} },
      }],
    },
  };
}

/** Several pods alike. */
export function pods(count: number, traits: PodTraits = {}, prefix = "p"): Pod[] {
  return Array.from({ length: count }, (_, i) => pod(`${prefix}${i}`, traits));
}

/**
 * Everything the Job controller needs, with caches that are filled by hand: they show what the harness was given, and
 * writes only after `catchUp`.
 */
export class JobHarness {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world, { GenericWorkload: true });
  readonly recorder = new FakeRecorder();
  readonly metrics = new MetricsRegistry();
  readonly pods = new FakeCache(this.client, PODS, { [POD_CONTROLLER_INDEX]: controllerIndexOf });
  readonly jobs = new FakeCache(this.client, JOBS);
  readonly queue = new WorkQueue({ world: this.world });
  readonly orphans = new WorkQueue({ world: this.world });
  readonly expectations = new Expectations(this.world.clock);
  readonly finalizers = new FinalizerExpectations();
  readonly context: JobContext;
  readonly #delays: string[] = [];

  constructor(owner: Job, ...pods: Pod[]) {
    const caches = [[JOBS, this.jobs], [PODS, this.pods]] as const;
    const { world, client, recorder, queue, orphans, expectations, finalizers } = this;
    this.context = {
      world,
      client,
      recorder,
      podControl: new PodControl({ client, recorder }),
      jobs: new Lister(this.jobs),
      pods: this.pods,
      podLister: new Lister(this.pods),
      queue: {
        addAfter: (key, delayMs, cause) => {
          this.#delays.push(`${key} ${delayMs / 1000} s`);
          queue.addAfter(key, delayMs, cause);
        },
      },
      orphans,
      expectations,
      finalizers,
      guard: new WriteGuard(
        new ConsistencyStore({
          clock: world.clock,
          caches,
          metrics: this.metrics,
          metricName: "job_controller_stale_sync_skips_total",
        }),
        JOBS,
      ),
      backoffs: new Map(),
      ended: new Set(),
      metrics: new JobMetrics(this.metrics),
    };
    this.jobs.begin(owner);
    this.pods.begin(...pods);
  }

  /** Shows the caches what the server has, and all expectations that they are fulfilled. */
  catchUp(): void {
    this.jobs.catchUp();
    this.pods.catchUp();
    this.expectations.delete("a/j");
    this.finalizers.delete("a/j");
  }

  sync(key = "a/j"): Promise<void> {
    return syncJob(key, this.context);
  }

  syncOrphans(key: string): Promise<void> {
    return syncOrphans(key, this.context);
  }

  get jobHandler(): Required<EventHandler<Job>> {
    return jobHandler(this.context) as Required<EventHandler<Job>>;
  }

  get podHandler(): Required<EventHandler<Pod>> {
    return podHandler(this.context) as Required<EventHandler<Pod>>;
  }

  /** The Job's status on the server. */
  get status(): JobStatus {
    return this.client.find(JOBS, "a/j")?.status ?? {};
  }

  /** Each status that was written, in order. */
  get statuses(): JobStatus[] {
    return this.client.bodies<Job>("put jobs/status").map(({ status }) => status!);
  }

  /** `type=status reason` of each condition on the server. */
  get conditions(): string[] {
    return (this.status.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  }

  /** Pods that were asked for, by what their names begin with. */
  get created(): string[] {
    return this.client.writes.filter((text) => text.startsWith("create pods")).map((text) => text.slice(14, -1));
  }

  get deleted(): string[] {
    return this.client.writes.filter((text) => text.startsWith("delete pods")).map((text) => text.slice(14));
  }

  get patched(): string[] {
    return this.client.writes.filter((text) => text.startsWith("patch pods")).map((text) => text.slice(13));
  }

  /** `key delay` of each time a key was queued for later, and forgets them. */
  delays(): string[] {
    return this.#delays.splice(0);
  }
}
