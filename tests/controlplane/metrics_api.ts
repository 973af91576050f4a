/** The metrics APIs behind a real kube-apiserver: served over TLS on loopback and registered through aggregation. */
import { APISERVICES, findCondition, NAMESPACES, SERVICES } from "../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import type { Client } from "../../src/client/mod.ts";
import { METRICS_SERVICE, MetricsApi, metricsApiServices } from "../../src/sandbox/mod.ts";
import type { ControlPlane } from "./control_plane.ts";
import { eventually } from "./process.ts";

const { namespace, name } = METRICS_SERVICE;

/**
 * Values that are set here are what upstream's programs read.
 *
 * @example
 * ```ts ignore
 * await using metrics = await ServedMetrics.start({ plane, client });
 * metrics.api.setPodUsage({ namespace: "shop", labelSelector: "app=web", usage: { cpu: "900m" } });
 * ```
 */
export class ServedMetrics implements AsyncDisposable {
  readonly api: MetricsApi;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(api: MetricsApi, { cert, key }: { readonly cert: string; readonly key: string }) {
    this.api = api;
    this.#running = api.run(this.#stop.signal);
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, cert, key, onListen: () => {} }, api.fetch);
  }

  /** Serves the metrics of what `plane` has, and waits until they can be read through it. */
  static async start(
    { plane, client }: { readonly plane: ControlPlane; readonly client: Client },
  ): Promise<ServedMetrics> {
    const api = new MetricsApi({ world: systemWorld(new MemoryLogger()), client });
    // This is the name that kube-apiserver expects of whoever it finds behind a service.
    const served = new ServedMetrics(api, await plane.authority.serving([`${name}.${namespace}.svc`], ["127.0.0.1"]));
    try {
      await served.#register(plane, client);
      return served;
    } catch (error) {
      await served[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.shutdown();
    await this.#running;
  }

  async #register({ authority }: ControlPlane, client: Client): Promise<void> {
    await eventually(`namespace ${namespace} exists`, () => client.get(NAMESPACES, { name: namespace }));
    // Endpoints may not be on loopback; the name of an external service may.
    await client.create(SERVICES, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace, name },
      spec: { type: "ExternalName", externalName: "localhost" },
    });
    const { port } = this.#server.addr;
    const apiServices = metricsApiServices({ port, caBundle: btoa(authority.cert) });
    for (const apiService of apiServices) await client.create(APISERVICES, apiService);
    await eventually("the metrics APIs are available", async () => {
      for (const { metadata } of apiServices) {
        const { status } = await client.get(APISERVICES, { name: metadata!.name! });
        const { status: isAvailable, reason, message } = findCondition(status?.conditions, "Available") ?? {};
        if (isAvailable !== "True") throw new Error(`${metadata!.name}: ${reason}: ${message}`);
      }
      return true;
    }, { withinMs: 90_000 });
  }
}
