import { NODES, PODS, type Resource } from "../../api/mod.ts";
import { mediaRanges, type World } from "../../base/mod.ts";
import { InformerFactory } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import { answerError, answerJson, ApiError, badRequest, methodNotAllowed, pathNotFound } from "../apiserver/mod.ts";
import { CustomMetrics, type ObjectMetric } from "./custom_metrics.ts";
import { discoveryOf } from "./discovery.ts";
import { type ExternalMetric, ExternalMetrics } from "./external_metrics.ts";
import { FindObjects } from "./find_objects.ts";
import { ResourceMetrics } from "./resource_metrics.ts";
import type { MetricsGroup } from "./served_metrics.ts";
import { type NodeUsage, type PodUsage, UsageSettings } from "./usage_settings.ts";

/** Options of {@link MetricsApi}. */
export interface MetricsApiOptions {
  readonly world: World;
  /** A client for the API server with the pods and nodes. */
  readonly client: Client;
  /** Shared informers that somebody else starts; by default `run` starts its own. */
  readonly informers?: InformerFactory;
}

/**
 * The metrics APIs `metrics.k8s.io`, `custom.metrics.k8s.io` and `external.metrics.k8s.io` as one server without a
 * socket, for `kubectl top` and autoscalers when there is nothing real to measure.
 *
 * Contract:
 * 1. `fetch` responds like metrics-server and common adapters, with errors as Status bodies.
 * 2. Values that are set count from then on; pods of simulated nodes have values by default, which their annotations
 *    (see {@link ANNOTATION_PREFIX}) can change.
 * 3. `clear` forgets everything that was set.
 * 4. When `run` resolves, no timer and no request of it is left.
 *
 * It does not authorize requests, since the API server in front of it does.
 *
 * Upstream: metrics-server and `sigs.k8s.io/custom-metrics-apiserver`.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubeloop/apiserver";
 * import { Client } from "kubeloop/client";
 * import { FakeWorld } from "kubeloop/world";
 * import { METRICS_SERVICE, MetricsApi, metricsApiServices } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const world = new FakeWorld();
 * const server = createApiServer({ world });
 * const client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "metrics" });
 * const metrics = new MetricsApi({ world, client });
 * server.addService({ ...METRICS_SERVICE, fetch: metrics.fetch, apiServices: metricsApiServices() });
 *
 * metrics.setExternalMetric({ metric: "queue-length", labels: { queue: "mail" }, value: 30 });
 * const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue-length";
 * const response = await server.fetch(new Request(`http://server${path}`));
 * assertEquals((await response.json()).items[0].value, "30");
 * server.close();
 * ```
 */
export class MetricsApi {
  readonly #informers: InformerFactory;
  readonly #isOwn: boolean;
  readonly #usage = new UsageSettings();
  readonly #custom: CustomMetrics;
  readonly #external: ExternalMetrics;
  readonly #groups: readonly MetricsGroup[];

  constructor({ world, client, informers }: MetricsApiOptions) {
    this.#isOwn = informers === undefined;
    this.#informers = informers ?? new InformerFactory({ world, client, name: "metrics" });
    const pods = this.#informers.informer(PODS).lister;
    const nodes = this.#informers.informer(NODES).lister;
    this.#custom = new CustomMetrics({ world, objects: new FindObjects({ client, pods }) });
    this.#external = new ExternalMetrics({ world });
    const resources = new ResourceMetrics({ world, pods, nodes, settings: this.#usage });
    this.#groups = [resources, this.#custom, this.#external];
  }

  /**
   * Sets the usage of pods, instead of the default.
   *
   * @throws {QuantityError | SelectorError} If an amount or the selector is invalid.
   */
  setPodUsage(usage: PodUsage): void {
    this.#usage.setPod(usage);
  }

  /**
   * Sets the usage of a node, instead of its pods' total.
   *
   * @throws {QuantityError} If an amount is invalid.
   */
  setNodeUsage(usage: NodeUsage): void {
    this.#usage.setNode(usage);
  }

  /**
   * Sets a custom metric of objects.
   *
   * @throws {QuantityError | SelectorError} If the value or the selector is invalid.
   */
  setObjectMetric(resource: Resource, metric: ObjectMetric): void {
    this.#custom.set(resource, metric);
  }

  /**
   * Sets a time series of an external metric.
   *
   * @throws {QuantityError} If the value is invalid.
   */
  setExternalMetric(metric: ExternalMetric): void {
    this.#external.set(metric);
  }

  /** Forgets everything that was set. */
  clear(): void {
    for (const each of [this.#usage, this.#custom, this.#external]) each.clear();
  }

  /** Follows the API server's pods and nodes until `signal` aborts; not needed with shared informers. */
  async run(signal: AbortSignal): Promise<void> {
    if (!this.#isOwn) return;
    this.#informers.start(signal);
    if (!signal.aborted) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    }
    await this.#informers.shutdown();
  }

  /** Serves one request. */
  readonly fetch = async (request: Request): Promise<Response> => {
    try {
      return await this.#answer(request);
    } catch (error) {
      if (error instanceof ApiError) return answerError(error);
      throw error;
    }
  };

  async #answer({ url, method, headers }: Request): Promise<Response> {
    const { pathname, searchParams: parameters } = new URL(url);
    const [root, ...path] = pathname.replace(/^\/+|(?<!\/)\/+$/g, "").split("/").map(decoded);
    const accept = headers.get("accept") ?? "";
    if (root !== "apis") throw pathNotFound();
    if (method !== "GET") throw methodNotAllowed();
    if (path.length <= 2) return discoveryOf(this.#groups, path, accept);
    const [group, version, ...below] = path;
    const served = this.#groups.find((each) => each.group === group && each.versions.includes(version));
    if (!served) throw pathNotFound();
    return answerJson(await served.read({ version, path: below, parameters, wantsTable: wantsTable(accept) }));
  }
}

/** @throws {ApiError} 400 if it is badly encoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(segment)}`);
  }
}

function wantsTable(accept: string): boolean {
  const [first] = mediaRanges(accept);
  const { as, g, v } = Object.fromEntries(first?.parameters ?? []);
  return as === "Table" && g === "meta.k8s.io" && v === "v1";
}
