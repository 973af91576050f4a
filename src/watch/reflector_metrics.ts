import type { Resource } from "../api/mod.ts";
import { MetricsRegistry } from "../base/mod.ts";

export const RELIST_REASONS = [
  /** The first time. */
  "start",
  /** The resourceVersion is too old, or newer than the server. */
  "resource-version",
  /** The server sent an ERROR event, or the watch could not be opened. */
  "watch-error",
  "very-short-watch",
  /** Bytes that could not be decoded, here or in the sink. */
  "frame-error",
  "sink-error",
  /** The list itself failed. */
  "list-error",
  /** A streaming list ended before its initial events did. */
  "incomplete",
  /** A streaming list is not available, so a paged one is requested. */
  "fallback",
  /** A streaming list has many objects, so a LIST is requested. */
  "long",
] as const;

export const RESTART_REASONS = ["closed", "silent", "refused"] as const;

/** Why a resource is listed again. */
export type RelistReason = typeof RELIST_REASONS[number];

/** Why a watch is resumed; `refused` includes connections that break before the answer. */
export type RestartReason = typeof RESTART_REASONS[number];

export interface ReflectorMetricsOptions {
  readonly registry?: MetricsRegistry;
  readonly name: string;
  readonly resource: Resource;
  /** Milliseconds since the last sign of life. */
  readonly stalenessMs: () => number;
}

/** The series of one reflector; upstream's components export none. */
export class ReflectorMetrics {
  readonly #labels: readonly string[];
  readonly #relists;
  readonly #restarts;
  readonly #skipped;
  readonly #frameErrors;
  readonly #staleness;
  readonly #stalenessMs: () => number;
  #untrack: (() => void) | undefined;

  constructor({ registry = new MetricsRegistry(), name, resource, stalenessMs }: ReflectorMetricsOptions) {
    const labels = ["name", "group", "version", "resource"];
    this.#labels = [name, resource.group, resource.version, resource.plural];
    this.#stalenessMs = stalenessMs;
    this.#relists = registry.counter({
      name: "kubeloop_reflector_relists_total",
      help: "Number of times a resource was listed from the beginning, by reason",
      labels: [...labels, "reason"],
    });
    this.#restarts = registry.counter({
      name: "kubeloop_reflector_watch_restarts_total",
      help: "Number of times a watch was resumed from its last resourceVersion, by reason",
      labels: [...labels, "reason"],
    });
    this.#skipped = registry.counter({
      name: "kubeloop_reflector_skipped_frames_total",
      help: "Number of watch events whose object was of another kind",
      labels,
    });
    this.#frameErrors = registry.counter({
      name: "kubeloop_reflector_frame_errors_total",
      help: "Number of streams given up because their bytes could not be decoded",
      labels,
    });
    this.#staleness = registry.gauge({
      name: "kubeloop_reflector_staleness_seconds",
      help: "Time since the API server last sent anything about a resource",
      labels,
    });
    // A rate over a series that starts late misses its first increment.
    for (const reason of RELIST_REASONS) this.#relists.touch([...this.#labels, reason]);
    for (const reason of RESTART_REASONS) this.#restarts.touch([...this.#labels, reason]);
    this.#skipped.touch(this.#labels);
    this.#frameErrors.touch(this.#labels);
  }

  relisted(reason: RelistReason): void {
    this.#relists.inc([...this.#labels, reason]);
  }

  restarted(reason: RestartReason): void {
    this.#restarts.inc([...this.#labels, reason]);
  }

  skippedFrame(): void {
    this.#skipped.inc(this.#labels);
  }

  frameError(): void {
    this.#frameErrors.inc(this.#labels);
  }

  /** If a resource has several reflectors, the stalest counts. */
  started(): void {
    this.#untrack = this.#staleness.trackLargest(() => this.#stalenessMs() / 1000, this.#labels);
  }

  /** A reflector that was stopped is not stale. */
  stopped(): void {
    this.#untrack?.();
  }
}
