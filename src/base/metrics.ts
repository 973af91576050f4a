/** A metric's name and meaning. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /**
   * Printed in the help line as upstream's components do, which use `none` for metrics of every program; default
   * `ALPHA`.
   */
  readonly stability?: "ALPHA" | "BETA" | "STABLE" | "none";
}

/** Label values in the order of {@link MetricOptions.labels}. */
export type LabelValues = readonly string[];

export type MetricKind = "counter" | "gauge" | "histogram";

export abstract class Metric {
  readonly options: MetricOptions;
  abstract readonly kind: MetricKind;

  constructor(options: MetricOptions) {
    this.options = options;
  }

  /** Creates the series with these label values, at zero. */
  abstract touch(labels?: LabelValues): void;

  /** Sample lines without comments. */
  abstract samples(): Iterable<string>;

  /** Its help line. */
  get helpLine(): string {
    const { name, help, stability = "ALPHA" } = this.options;
    return `# HELP ${name} ${stability === "none" ? "" : `[${stability}] `}${help}`;
  }

  protected line(name: string, values: LabelValues, value: number, extra?: readonly [string, string]): string {
    const pairs = (this.options.labels ?? []).map((label, i) => `${label}="${escape(values[i] ?? "")}"`);
    if (extra) pairs.push(`${extra[0]}="${extra[1]}"`);
    return `${name}${pairs.length ? `{${pairs.join(",")}}` : ""} ${formatNumber(value)}`;
  }
}

export interface Series<T> {
  readonly labels: LabelValues;
  value: T;
}

export class SeriesMap<T> {
  readonly #series = new Map<string, Series<T>>();
  readonly #initial: () => T;

  constructor(initial: () => T) {
    this.#initial = initial;
  }

  at(labels: LabelValues): Series<T> {
    const key = keyOf(labels);
    let series = this.#series.get(key);
    if (!series) this.#series.set(key, series = { labels: [...labels], value: this.#initial() });
    return series;
  }

  delete(labels: LabelValues): void {
    this.#series.delete(keyOf(labels));
  }

  values(): Iterable<Series<T>> {
    return this.#series.values();
  }
}

function keyOf(labels: LabelValues): string {
  return labels.length === 1 ? labels[0] : labels.join("\u0000");
}

/** A metric with one number per series. */
export abstract class Scalar extends Metric {
  protected readonly series: SeriesMap<number | (() => number)> = new SeriesMap(() => 0);

  touch(labels: LabelValues = []): void {
    this.series.at(labels);
  }

  /** Adds `by` (default 1) to the series with these label values, creating it at 0. */
  inc(labels: LabelValues = [], by = 1): void {
    const series = this.series.at(labels);
    series.value = read(series.value) + by;
  }

  /** Reads the value from `read`, which only grows if this is a counter, whenever metrics are rendered. */
  track(read: () => number, labels: LabelValues = []): void {
    this.series.at(labels).value = read;
  }

  /** The series' value; 0 when it was never used. */
  value(labels: LabelValues = []): number {
    return read(this.series.at(labels).value);
  }

  *samples(): Iterable<string> {
    for (const { labels, value } of this.series.values()) yield this.line(this.options.name, labels, read(value));
  }
}

/** A number that only grows. */
export class Counter extends Scalar {
  readonly kind = "counter";
}

/** A number that goes up and down. */
export class Gauge extends Scalar {
  readonly kind = "gauge";
  readonly #readers = new SeriesMap(() => new Set<() => number>());
  #list: () => Iterable<LabelValues> = () => [];

  set(value: number, labels: LabelValues = []): void {
    this.series.at(labels).value = value;
  }

  /** Removes a series whose subject is gone. */
  remove(labels: LabelValues): void {
    this.series.delete(labels);
  }

  /**
   * Exports the largest value of several readers for one series; values are not below 0, and 0 if no reader is left.
   *
   * @returns Ends this reading.
   */
  trackLargest(read: () => number, labels: LabelValues = []): () => void {
    const readers = this.#readers.at(labels).value;
    readers.add(read);
    this.track(() => Math.max(0, ...Array.from(readers, (each) => each())), labels);
    return () => readers.delete(read);
  }

  /** Exports a series with value 1 for each of the label values that `list` returns when metrics are rendered. */
  trackListed(list: () => Iterable<LabelValues>): void {
    this.#list = list;
  }

  override *samples(): Iterable<string> {
    yield* super.samples();
    for (const labels of this.#list()) yield this.line(this.options.name, labels, 1);
  }
}

interface Distribution {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Counts of observations by upper bound. */
export class Histogram extends Metric {
  readonly kind = "histogram";
  readonly #bounds: readonly number[];
  readonly #series: SeriesMap<Distribution>;

  /** @param options.buckets Upper bounds, ascending, without +Inf. */
  constructor(options: MetricOptions & { readonly buckets: readonly number[] }) {
    super(options);
    this.#bounds = options.buckets;
    this.#series = new SeriesMap(() => ({ counts: new Array(this.#bounds.length).fill(0), sum: 0, count: 0 }));
  }

  observe(value: number, labels: LabelValues = []): void {
    const distribution = this.#series.at(labels).value;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    if (at >= 0) distribution.counts[at]++;
    distribution.sum += value;
    distribution.count++;
  }

  touch(labels: LabelValues = []): void {
    this.#series.at(labels);
  }

  /** How many values were observed, and their sum. */
  totals(labels: LabelValues = []): { readonly count: number; readonly sum: number } {
    const { count, sum } = this.#series.at(labels).value;
    return { count, sum };
  }

  *samples(): Iterable<string> {
    const { name } = this.options;
    for (const { labels, value } of this.#series.values()) {
      let cumulative = 0;
      for (const [i, bound] of this.#bounds.entries()) {
        cumulative += value.counts[i];
        yield this.line(`${name}_bucket`, labels, cumulative, ["le", formatNumber(bound)]);
      }
      yield this.line(`${name}_bucket`, labels, value.count, ["le", "+Inf"]);
      yield this.line(`${name}_sum`, labels, value.sum);
      yield this.line(`${name}_count`, labels, value.count);
    }
  }
}

/**
 * The metrics of one process, in Prometheus text format.
 *
 * Registering a name again returns the existing metric, so that two users of one name share its series.
 *
 * @example
 * ```ts
 * import { MetricsRegistry } from "kubeloop/world";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const metrics = new MetricsRegistry();
 * metrics.counter({ name: "syncs_total", help: "Number of syncs", labels: ["name"] }).inc(["deployment"]);
 * assertStringIncludes(metrics.render(), 'syncs_total{name="deployment"} 1');
 * ```
 */
export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric>();

  counter(options: MetricOptions): Counter {
    return this.#register(options.name, Counter, () => new Counter(options));
  }

  gauge(options: MetricOptions): Gauge {
    return this.#register(options.name, Gauge, () => new Gauge(options));
  }

  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram {
    return this.#register(options.name, Histogram, () => new Histogram(options));
  }

  /**
   * All metrics, sorted by name, in Prometheus text format 0.0.4.
   *
   * @param options.only The name of the one metric to show, if it is there.
   */
  render({ only }: { readonly only?: string } = {}): string {
    const lines: string[] = [];
    for (const name of only === undefined ? [...this.#metrics.keys()].sort() : [only]) {
      const metric = this.#metrics.get(name);
      if (!metric) continue;
      lines.push(metric.helpLine, `# TYPE ${name} ${metric.kind}`, ...metric.samples());
    }
    return lines.join("\n") + "\n";
  }

  #register<M extends Metric>(name: string, type: new (...args: never[]) => M, create: () => M): M {
    const existing = this.#metrics.get(name);
    if (existing instanceof type) return existing;
    if (existing) throw new TypeError(`Cannot register metric "${name}": it is already a ${existing.kind}`);
    const metric = create();
    // Without labels there is one series, which exists from the start.
    if (!metric.options.labels?.length) metric.touch();
    this.#metrics.set(name, metric);
    return metric;
  }
}

function read(value: number | (() => number)): number {
  return typeof value === "function" ? value() : value;
}

function escape(value: string): string {
  return value.replace(/[\\"\n]/g, (c) => c === "\n" ? "\\n" : `\\${c}`);
}

/** Formats a float like Go: with an exponent of at least two digits below 0.0001 and from a million up. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const [mantissa, exponent] = value.toExponential().split("e");
  const size = Math.abs(Number(exponent));
  if (Number(exponent) >= -4 && Number(exponent) < 6) return String(value);
  return `${mantissa}e${exponent[0]}${String(size).padStart(2, "0")}`;
}
