import type { Clock, Gauge, MetricsRegistry } from "../base/mod.ts";

/** Ten powers of ten from 10 ns, computed by repeated multiplication; upstream prints the same digits. */
const BUCKETS = [1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 0.001, 0.01, 0.1, 1, 10];

/** A queue's metrics. Times in milliseconds by the monotonic clock. */
export interface QueueMetrics {
  /** A key was added that was not there before. */
  added(): void;
  /** A key was handed out that had been waiting for `waitedMs`. */
  handedOut(waitedMs: number): void;
  /** A key was done that had been handed out at `startedMs`. */
  done(startedMs: number): void;
  retried(): void;
  /** Stops measuring. */
  freeze(): void;
}

/** For queues without a name or a registry: they publish nothing. */
const NO_METRICS: QueueMetrics = {
  added() {},
  handedOut() {},
  done() {},
  retried() {},
  freeze() {},
};

export interface QueueMetricsOptions {
  readonly registry: MetricsRegistry | undefined;
  readonly clock: Clock;
  readonly name: string;
  /** When each key in processing was handed out. */
  readonly started: () => Iterable<number>;
}

/**
 * The metrics of the queue called `name`, all present from the start; none for a queue without a name.
 * Upstream: `k8s.io/component-base/metrics/prometheus/workqueue/metrics.go`.
 */
export function queueMetrics({ registry, clock, name, started }: QueueMetricsOptions): QueueMetrics {
  if (!registry || !name) return NO_METRICS;
  const common = { labels: ["name"], stability: "BETA" } as const;
  const depth = registry.gauge({
    ...common,
    name: "workqueue_depth",
    help: "Current depth of workqueue",
  });
  const adds = registry.counter({
    ...common,
    name: "workqueue_adds_total",
    help: "Total number of adds handled by workqueue",
  });
  const queued = registry.histogram({
    ...common,
    name: "workqueue_queue_duration_seconds",
    help: "How long in seconds an item stays in workqueue before being requested.",
    buckets: BUCKETS,
  });
  const worked = registry.histogram({
    ...common,
    name: "workqueue_work_duration_seconds",
    help: "How long in seconds processing an item from workqueue takes.",
    buckets: BUCKETS,
  });
  const retries = registry.counter({
    ...common,
    name: "workqueue_retries_total",
    help: "Total number of retries handled by workqueue",
  });
  const labels = [name];
  depth.inc(labels, 0);
  adds.inc(labels, 0);
  queued.touch(labels);
  worked.touch(labels);
  retries.inc(labels, 0);
  const running = runningGauges(registry).queue(name, () => ages(clock, started()));
  return {
    added() {
      depth.inc(labels);
      adds.inc(labels);
    },
    handedOut(waitedMs) {
      depth.inc(labels, -1);
      queued.observe(waitedMs / 1000, labels);
    },
    done: (startedMs) => worked.observe((clock.monotonicMs() - startedMs) / 1000, labels),
    retried: () => retries.inc(labels),
    freeze: () => running.freeze(),
  };
}

/** How long keys have been in processing, in seconds. */
interface Ages {
  readonly sum: number;
  readonly oldest: number;
}

function ages(clock: Clock, started: Iterable<number>): Ages {
  const nowMs = clock.monotonicMs();
  let sum = 0;
  let oldest = 0;
  for (const startedMs of started) {
    const age = (nowMs - startedMs) / 1000;
    sum += age;
    if (age > oldest) oldest = age;
  }
  return { sum, oldest };
}

/**
 * The two gauges about work in progress. Upstream refreshes them every 500 ms; here they are computed when they are
 * read. Several queues may have one name, so the readers are kept by name.
 */
class RunningGauges {
  /** By name: how to read each queue, and its last values once it is frozen. */
  readonly #readers = new Map<string, Map<() => Ages, Ages | undefined>>();
  readonly #unfinished: Gauge;
  readonly #longest: Gauge;

  constructor(registry: MetricsRegistry) {
    this.#unfinished = registry.gauge({
      name: "workqueue_unfinished_work_seconds",
      help: "How many seconds of work has done that is in progress and hasn't been observed by work_duration. " +
        "Large values indicate stuck threads. " +
        "One can deduce the number of stuck threads by observing the rate at which this increases.",
      labels: ["name"],
      stability: "BETA",
    });
    this.#longest = registry.gauge({
      name: "workqueue_longest_running_processor_seconds",
      help: "How many seconds has the longest running processor for workqueue been running.",
      labels: ["name"],
      stability: "BETA",
    });
  }

  /**
   * Queues that have shut down keep their last values until another one takes their name, when a controller restarts.
   */
  queue(name: string, read: () => Ages): { freeze(): void } {
    const readers = this.#readers.get(name) ?? new Map<() => Ages, Ages | undefined>();
    if (!this.#readers.has(name)) {
      this.#readers.set(name, readers);
      const all = () => readers.entries().map(([live, last]) => last ?? live());
      this.#unfinished.track(() => all().reduce((sum, { sum: one }) => sum + one, 0), [name]);
      this.#longest.track(() => all().reduce((max, { oldest }) => Math.max(max, oldest), 0), [name]);
    }
    for (const [other, last] of readers) if (last) readers.delete(other);
    readers.set(read, undefined);
    return {
      freeze() {
        if (readers.has(read)) readers.set(read, readers.get(read) ?? read());
      },
    };
  }
}

const gaugesOf = new WeakMap<MetricsRegistry, RunningGauges>();

function runningGauges(registry: MetricsRegistry): RunningGauges {
  let gauges = gaugesOf.get(registry);
  if (!gauges) gaugesOf.set(registry, gauges = new RunningGauges(registry));
  return gauges;
}
