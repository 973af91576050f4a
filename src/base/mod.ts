/** The foundation of everything else; independent of Kubernetes. */
export * from "./ambient.ts";
export * from "./backoff.ts";
export * from "./bounded_text.ts";
export * from "./canonical_json.ts";
export * from "./clock.ts";
export * from "./deep_copy.ts";
export * from "./deep_equal.ts";
export * from "./deferred.ts";
export * from "./error_text.ts";
export * from "./fair_queue.ts";
export * from "./fake_clock.ts";
export * from "./fnv.ts";
export * from "./go_integer.ts";
export * from "./go_quote.ts";
export * from "./heap.ts";
export * from "./invariant.ts";
export * from "./json.ts";
export { isContainer, isRawNumber, numberText } from "./json_numbers.ts";
export * from "./json_writer.ts";
export * from "./log.ts";
export * from "./lru.ts";
export * from "./media_ranges.ts";
export {
  type Counter,
  type Gauge,
  type Histogram,
  type LabelValues,
  type MetricOptions,
  MetricsRegistry,
} from "./metrics.ts";
export * from "./metrics_text.ts";
export * from "./once_per_second.ts";
export * from "./parallelize.ts";
export * from "./random.ts";
export * from "./ring_buffer.ts";
export * from "./sort_in_steps.ts";
export * from "./text.ts";
export * from "./timer_line.ts";
export * from "./turn_budget.ts";
export * from "./turn_line.ts";
export * from "./unless_aborted.ts";
export * from "./warnings_only.ts";
export * from "./world.ts";
