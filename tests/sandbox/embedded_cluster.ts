/** The whole manager on the embedded API server, in one process, on a clock that moves by itself when nothing else does. */
import { FakeWorld, MetricsRegistry } from "../../src/base/mod.ts";
import { NAMESPACES, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { Client, type Transport, TransportClientBuilder } from "../../src/client/mod.ts";
import { CONTROLLERS } from "../../src/controllers/mod.ts";
import { ControllerManager, managerFlags, managerOptions } from "../../src/manager/mod.ts";
import { type ApiServer, createApiServer, NodeSimulator } from "../../src/sandbox/mod.ts";
import { type Eventually, Kit } from "../scenarios/kit.ts";

const SERVER = "http://127.0.0.1";
/** Fake time between two looks at a condition, and how long one may take to come true. */
const STEP_MS = 250;
const WITHIN_MS = 30 * 60_000;

export class EmbeddedCluster implements AsyncDisposable {
  readonly world: FakeWorld;
  readonly apiServer: ApiServer;
  readonly client: Client;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[];

  private constructor(world: FakeWorld, transport: (direct: Transport) => Transport) {
    this.world = world;
    this.apiServer = createApiServer({ world });
    const direct: Transport = (request) => this.apiServer.fetch(request);
    const options = managerOptions(managerFlags([]));
    const of = (userAgent: string) => new Client({ world, transport: direct, server: SERVER, userAgent });
    this.client = of("tests");
    const manager = new ControllerManager({
      world,
      metrics: new MetricsRegistry(),
      clients: new TransportClientBuilder({ world, transport: transport(direct), server: SERVER, qps: -1, burst: 0 }),
      controllers: CONTROLLERS,
      controllerOptions: { ...options.controllerOptions, rootCaText: "the root CA\n" },
      minResyncPeriodMs: options.minResyncPeriodMs,
    });
    const nodes = new NodeSimulator({ world, client: of("kubelet"), nodeCount: 3, schedule: true });
    this.#running = [manager.run(this.#stop.signal), nodes.run(this.#stop.signal)];
  }

  /** @param options.transport Puts something between the controllers and the server: faults, delays, a count. */
  static async start(
    { seed = 1, transport = (direct) => direct }: { seed?: number; transport?: (direct: Transport) => Transport } = {},
  ): Promise<EmbeddedCluster> {
    const cluster = new EmbeddedCluster(new FakeWorld({ seed }), transport);
    await cluster.world.clock.advance(1);
    return cluster;
  }

  readonly eventually: Eventually = async (what, condition) => {
    const { clock } = this.world;
    const endMs = clock.monotonicMs() + WITHIN_MS;
    let last: unknown = "the condition never held";
    while (clock.monotonicMs() < endMs) {
      try {
        const value = await condition();
        if (value !== undefined && value !== false) return value;
      } catch (error) {
        last = error;
      }
      await clock.advance(STEP_MS);
    }
    throw new Error(`Not within ${WITHIN_MS} ms of fake time: ${what}: ${last instanceof Error ? last.message : last}`);
  };

  /** Makes a namespace and waits until pods can be created in it. */
  async namespace(name: string): Promise<Kit> {
    await this.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await this.eventually(
      `namespace ${name} has its default ServiceAccount`,
      () => this.client.get(SERVICEACCOUNTS, { namespace: name, name: "default" }),
    );
    return new Kit({ client: this.client, namespace: name, eventually: this.eventually });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const ended = Promise.all(this.#running);
    let done = false;
    void ended.finally(() => done = true).catch(() => {});
    // Shutdown waits on timers too.
    for (let i = 0; i < 100 && !done; i++) await this.world.clock.advance(STEP_MS);
    this.apiServer.close();
    await ended;
  }
}
