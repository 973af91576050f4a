/** `kubeloop/world`: what a user injects (time, randomness, files and the log, real or simulated), and where metrics go. */
export type { Ambient, AmbientPlace } from "./ambient.ts";
export { type Clock, sleep, SystemClock, type Timer } from "./clock.ts";
export { FakeClock } from "./fake_clock.ts";
export type { Json } from "./json.ts";
export * from "./log.ts";
export {
  type Counter,
  type Gauge,
  type Histogram,
  type LabelValues,
  type Metric,
  type MetricKind,
  type MetricOptions,
  MetricsRegistry,
  type Scalar,
  type Series,
  type SeriesMap,
} from "./metrics.ts";
export * from "./random.ts";
export * from "./world.ts";
