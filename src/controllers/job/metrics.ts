import type { Counter, Histogram, MetricsRegistry } from "../../base/mod.ts";
import type { Job, JobCondition, JobStatus } from "../../api/mod.ts";
import { CONDITION } from "./conditions.ts";
import { Indexes } from "./indexes.ts";
import { hasLimitPerIndex, indexCount, isIndexed } from "./spec.ts";

/** What a sync did about pods: it could not act yet, only tracked them, created some, or deleted some. */
export type SyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted";

/** Prometheus histogram bounds: 4 ms, doubling to 65 s. */
const SYNC_BUCKETS = Array.from({ length: 15 }, (_, i) => 0.004 * 2 ** i);

/** The metrics of the Job controller. Upstream: `pkg/controller/job/metrics/metrics.go`. */
export class JobMetrics {
  readonly #duration: Histogram;
  readonly #syncs: Counter;
  readonly #finished: Counter;
  readonly #external: Counter;
  readonly #podsFinished: Counter;
  readonly #indexesFinished: Counter;
  readonly #policyActions: Counter;
  readonly #finalizers: Counter;
  readonly #creations: Counter;

  constructor(metrics: MetricsRegistry) {
    const counter = (
      name: string,
      help: string,
      labels: readonly string[],
      stability: "ALPHA" | "BETA" | "STABLE" = "STABLE",
    ) => metrics.counter({ name: `job_controller_${name}`, help, labels, stability });
    const sync = ["action", "completion_mode", "result"];
    this.#duration = metrics.histogram({
      name: "job_controller_job_sync_duration_seconds",
      help: "The time it took to sync a job",
      labels: sync,
      stability: "STABLE",
      buckets: SYNC_BUCKETS,
    });
    this.#syncs = counter("job_syncs_total", "The number of job syncs", sync);
    this.#finished = counter("jobs_finished_total", "The number of finished jobs", [
      "completion_mode",
      "reason",
      "result",
    ]);
    this.#external = counter(
      "jobs_by_external_controller_total",
      "The number of Jobs managed by an external controller",
      ["controller_name"],
      "ALPHA",
    );
    this.#podsFinished = counter("job_pods_finished_total", "The number of finished Pods that are fully tracked", [
      "completion_mode",
      "result",
    ]);
    this.#indexesFinished = counter(
      "job_finished_indexes_total",
      "The number of finished indexes, by status (succeeded, failed) and by where failures are limited (perIndex, global)",
      ["backoffLimit", "status"],
      "ALPHA",
    );
    this.#policyActions = counter(
      "pod_failures_handled_by_failure_policy_total",
      "The number of failed Pods handled by failure policy, by the action of the rule that matched",
      ["action"],
      "BETA",
    );
    this.#finalizers = counter(
      "terminated_pods_tracking_finalizer_total",
      "The number of terminated pods (phase=Failed|Succeeded) that gained or lost the tracking finalizer",
      ["event"],
      "BETA",
    );
    this.#creations = counter(
      "job_pods_creation_total",
      "The number of Pods created by the Job controller, by the reason for their creation and how it went",
      ["reason", "status"],
      "ALPHA",
    );
  }

  synced(
    job: Job,
    sync: { readonly action: SyncAction; readonly isError: boolean; readonly durationMs: number },
  ): void {
    const labels = [sync.action, completionMode(job), sync.isError ? "error" : "success"];
    this.#duration.observe(sync.durationMs / 1000, labels);
    this.#syncs.inc(labels);
  }

  jobFinished(job: Job, { type, reason = "" }: JobCondition): void {
    this.#finished.inc([completionMode(job), reason, type === CONDITION.complete ? "succeeded" : "failed"]);
  }

  managedByOther(manager: string): void {
    this.#external.inc([manager]);
  }

  finalizerOfEnded(event: "add" | "delete"): void {
    this.#finalizers.inc([event]);
  }

  policyAction(action: string): void {
    this.#policyActions.inc([action]);
  }

  /** @param created.succeeded The number of requests, including failed ones, as upstream counts. */
  podsCreated(reason: string, created: { readonly succeeded: number; readonly failed: number }): void {
    if (created.succeeded > 0) this.#creations.inc([reason, "succeeded"], created.succeeded);
    if (created.failed > 0) this.#creations.inc([reason, "failed"], created.failed);
  }

  /** Counts what `job`'s status added to `before`. */
  podsFinished(job: Job, before: JobStatus): void {
    const mode = completionMode(job);
    const status = job.status ?? {};
    let succeeded = (status.succeeded ?? 0) - (before.succeeded ?? 0);
    if (isIndexed(job)) {
      const limit = hasLimitPerIndex(job) ? "perIndex" : "global";
      const count = (text: string | undefined) => Indexes.parse(text, indexCount(job)).size;
      // Completions may have been reduced, and indexes with them.
      succeeded = Math.max(0, count(status.completedIndexes) - count(before.completedIndexes));
      this.#indexesFinished.inc([limit, "succeeded"], succeeded);
      const failed = count(status.failedIndexes) - count(before.failedIndexes);
      if (failed > 0) this.#indexesFinished.inc([limit, "failed"], failed);
    }
    this.#podsFinished.inc([mode, "succeeded"], Math.max(0, succeeded));
    this.#podsFinished.inc([mode, "failed"], Math.max(0, (status.failed ?? 0) - (before.failed ?? 0)));
  }
}

function completionMode(job: Job): string {
  return isIndexed(job) ? "Indexed" : "NonIndexed";
}
