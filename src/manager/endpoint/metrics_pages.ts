import { type Clock, mergeMetrics, MetricsRegistry, type MetricsView, sleep } from "../../base/mod.ts";
import { type Peer } from "../../https/mod.ts";
import { NO_CACHE, textAnswer } from "./answers.ts";
import type { Ask } from "../questions.ts";
import { gzipped, prefersGzip } from "./gzip.ts";
import type { HealthRecord } from "./health_record.ts";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/** How long other threads may take: one whose event loop is blocked must not hide the others' metrics. */
const COLLECT_MS = 2000;

/** Options of the metrics pages. */
export interface MetricsPageOptions {
  readonly clock: Clock;
  /** When the process started, in seconds since 1970. */
  readonly startSeconds: number;
}

/** The content of `/metrics`. */
export interface ShownMetrics {
  readonly metrics: MetricsRegistry;
  /** Collects the metrics of other threads. */
  readonly ask: Ask;
  readonly view: MetricsView;
}

/** A snapshot of the metrics that any number of responses share. */
class CollectedMetrics {
  readonly text: string;
  readonly #clock: Clock;
  #gzipped: Promise<Uint8Array<ArrayBuffer>> | undefined;

  constructor(clock: Clock, text: string) {
    this.#clock = clock;
    this.text = text;
  }

  /** Compressed on first use. */
  get gzipped(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#gzipped ??= new Response(gzipped(this.text, this.#clock)).bytes();
  }
}

/** The metrics of all threads merged into one process's; without threads that do not answer in time. */
export async function collectMetrics(clock: Clock, { metrics, ask, view }: ShownMetrics): Promise<CollectedMetrics> {
  const wait = new AbortController();
  const late = sleep(clock, COLLECT_MS, wait.signal).then((): readonly string[] => []);
  const others = await Promise.race([ask({ about: "metrics" }), late]);
  wait.abort();
  const texts = [metrics.render(), ...others];
  return new CollectedMetrics(clock, mergeMetrics([...texts, metricsOfMetrics(texts, view)], view));
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
  // No metric here is deprecated, so none is hidden.
  own.counter({ name: "hidden_metrics_total", help: "The count of hidden metrics.", stability: "BETA" });
  for (const level of [...levels.values(), "BETA", "BETA", "BETA"]) registered.inc([level, ""]);
  return own.render();
}

/** Answers `/metrics/slis`: the results of health checks; DELETE resets them. */
export async function slisPage(
  peer: Peer,
  { record, ...page }: { readonly record: HealthRecord } & MetricsPageOptions,
): Promise<Response> {
  if (peer.asked.method === "DELETE") {
    record.reset();
    return textAnswer("metrics reset\n");
  }
  const collected = new CollectedMetrics(page.clock, record.render(page.startSeconds));
  return await metricsPage(peer, { ...page, collected });
}

/** Answers `/metrics`, or a page like it. */
export async function metricsPage(
  { headerValues }: Peer,
  { collected, startSeconds }: { readonly collected: CollectedMetrics } & MetricsPageOptions,
): Promise<Response> {
  const headers = {
    "content-type": CONTENT_TYPE,
    ...NO_CACHE,
    "process-start-time-unix": String(Math.floor(startSeconds)),
  };
  if (!prefersGzip(headerValues("accept-encoding"))) return new Response(collected.text, { headers });
  return new Response(await collected.gzipped, { headers: { ...headers, "content-encoding": "gzip" } });
}
