import type { Resource } from "../api/mod.ts";
import type { Counter, Gauge, Histogram, LabelValues, MetricsRegistry } from "../base/mod.ts";

const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LABELS = ["name", "group", "version", "resource"] as const;

const SKIP_REASONS = ["no-name", "unreadable", "transform"] as const;

/** Why an object from the API server did not enter the cache. */
export type SkipReason = typeof SKIP_REASONS[number];

/** Options of {@link InformerMetrics}. */
export interface InformerMetricsOptions {
  readonly registry: MetricsRegistry;
  readonly resource: Resource;
  /** The program that runs the informer, such as `kube-controller-manager`. */
  readonly name: string;
  /** Whether to fill upstream's `informer_*` metrics, which upstream does for full objects only. */
  readonly measured: boolean;
}

/** The metrics of one informer. */
export class InformerMetrics {
  readonly #labels: LabelValues;
  readonly #queued: Gauge | undefined;
  readonly #latency: Histogram | undefined;
  readonly #depth: Gauge;
  readonly #skipped: Counter;
  readonly #setAside: Gauge;
  readonly #handlerErrors: Counter;
  readonly #processErrors: Counter;

  constructor({ registry, resource, name, measured }: InformerMetricsOptions) {
    this.#labels = [name, resource.group, resource.version, measuredPlural(resource.plural)];
    if (measured) {
      this.#queued = registry.gauge({
        name: "informer_queued_items",
        help: "Number of items currently queued in the FIFO.",
        labels: LABELS,
      });
      this.#latency = registry.histogram({
        name: "informer_processing_latency_seconds",
        help: "Time taken to process events after popping from the queue.",
        labels: LABELS,
        buckets: BUCKETS,
      });
    }
    this.#depth = registry.gauge({
      name: "kubeloop_informer_listener_depth",
      help: "Notifications waiting for one event handler",
      labels: [...LABELS, "handler"],
    });
    this.#skipped = registry.counter({
      name: "kubeloop_informer_skipped_objects_total",
      help: "Objects from the API server that could not enter the cache",
      labels: [...LABELS, "reason"],
    });
    this.#setAside = registry.gauge({
      name: "kubeloop_informer_set_aside_objects",
      help: "Objects of the API server that cannot be read and whose last version, if any, stays in the cache",
      labels: LABELS,
    });
    this.#handlerErrors = registry.counter({
      name: "kubeloop_informer_handler_errors_total",
      help: "Notifications lost because their event handler threw",
      labels: [...LABELS, "handler"],
    });
    this.#processErrors = registry.counter({
      name: "kubeloop_informer_process_errors_total",
      help: "Deltas that could not be processed, and index functions that threw",
      labels: LABELS,
    });
    // A rate over a series that starts late misses its first increment.
    this.#processErrors.touch(this.#labels);
    for (const reason of SKIP_REASONS) this.#skipped.touch([...this.#labels, reason]);
  }

  /** Reads the length of the queue whenever metrics are rendered. */
  trackQueue(read: () => number): void {
    this.#queued?.track(read, this.#labels);
  }

  /** Reads how many objects are set aside whenever metrics are rendered. */
  trackSetAside(read: () => number): void {
    this.#setAside.track(read, this.#labels);
  }

  /** Stops reading the queue and the set-aside objects. */
  stopped(): void {
    this.#setAside.set(0, this.#labels);
    this.#queued?.set(0, this.#labels);
  }

  /** One pop was processed within `tookMs` milliseconds. */
  popped(tookMs: number): void {
    this.#latency?.observe(tookMs / 1000, this.#labels);
  }

  skipped(reason: SkipReason): void {
    this.#skipped.inc([...this.#labels, reason]);
  }

  processFailed(): void {
    this.#processErrors.inc(this.#labels);
  }

  /** The metrics of the listener in front of the handler called `handler`. */
  listener(handler: string): ListenerMetrics {
    const labels = [...this.#labels, handler];
    this.#handlerErrors.touch(labels);
    return {
      trackDepth: (read) => this.#depth.track(read, labels),
      handlerFailed: () => this.#handlerErrors.inc(labels),
      stop: () => this.#depth.set(0, labels),
    };
  }
}

/** A listener's metrics. */
export interface ListenerMetrics {
  trackDepth(read: () => number): void;
  handlerFailed(): void;
  /** Stops reading the listener. */
  stop(): void;
}

/** The label that upstream's generated informers report; the generator adds a second plural to Endpoints. */
function measuredPlural(plural: string): string {
  return plural === "endpoints" ? "endpointss" : plural;
}
