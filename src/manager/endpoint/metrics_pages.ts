import { type Clock, mergeMetrics, MetricsRegistry, type MetricsView, sleep } from "../../base/mod.ts";
import { NO_CACHE, textAnswer } from "./answers.ts";
import type { Ask } from "../questions.ts";
import type { HealthRecord } from "./health_record.ts";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/** How long other threads may take: one whose event loop does not turn must not keep the others' metrics from being seen. */
const COLLECT_MS = 2000;

export interface MetricsPageOptions {
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  /** Asks other threads for theirs. */
  readonly ask: Ask;
  readonly view: MetricsView;
  /** When the process began, in seconds since 1970. */
  readonly startSeconds: number;
}

/**
 * Answers `/metrics`: the metrics of all threads as those of one process; of this thread alone where the others do not
 * answer in time.
 */
export async function metricsPage(
  { clock, metrics, ask, view, startSeconds }: MetricsPageOptions,
): Promise<Response> {
  const wait = new AbortController();
  const late = sleep(clock, COLLECT_MS, wait.signal).then((): readonly string[] => []);
  const others = await Promise.race([ask({ about: "metrics" }), late]);
  wait.abort();
  const texts = [metrics.render(), ...others];
  return prometheusText(mergeMetrics([...texts, metricsOfMetrics(texts, view)], view), startSeconds);
}

/** How many metrics there are. Upstream: `k8s.io/component-base/metrics` (registry_metrics.go). */
function metricsOfMetrics(texts: readonly string[], { disabled }: MetricsView): string {
  const levels = new Map<string, string>();
  for (const text of texts) {
    for (const [, name, level] of text.matchAll(/^# HELP (\S+) \[(\w+)\]/gm)) levels.set(name, level);
  }
  const own = new MetricsRegistry();
  const registered = own.counter({
    name: "registered_metrics_total",
    help: "The count of registered metrics broken by stability level and deprecation version.",
    labels: ["stability_level", "deprecated_version"],
    stability: "BETA",
  });
  own.counter({ name: "disabled_metrics_total", help: "The count of disabled metrics.", stability: "BETA" })
    .inc([], disabled?.size ?? 0);
  // Of what is served here nothing is deprecated, and so nothing is hidden.
  own.counter({ name: "hidden_metrics_total", help: "The count of hidden metrics.", stability: "BETA" });
  for (const level of [...levels.values(), "BETA", "BETA", "BETA"]) registered.inc([level, ""]);
  return own.render();
}

/** Answers `/metrics/slis`: how the health checks went; DELETE forgets it. */
export function slisPage(request: Request, record: HealthRecord, startSeconds: number): Response {
  if (request.method !== "DELETE") return prometheusText(record.render(startSeconds), startSeconds);
  record.reset();
  return textAnswer("metrics reset\n");
}

function prometheusText(text: string, startSeconds: number): Response {
  return new Response(text, {
    headers: { "content-type": CONTENT_TYPE, ...NO_CACHE, "process-start-time-unix": String(Math.floor(startSeconds)) },
  });
}
