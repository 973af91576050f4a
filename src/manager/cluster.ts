import { createLogger, MetricsRegistry, systemWorld, warningsOnly, type World } from "../base/mod.ts";
import {
  Client,
  type ClientBuilder,
  loadClientConfig,
  SimpleClientBuilder,
  type Transport,
  TransportClientBuilder,
  transportOf,
} from "../client/mod.ts";
import type { ControllerDescriptor } from "../controllers/mod.ts";
import { LeaderElector, LeaseLock } from "../election/mod.ts";
import { ControllerManager } from "./controller_manager.ts";
import { managerFlags } from "./manager_flags.ts";
import { managerOptions } from "./options.ts";

/** How to reach a cluster. */
export interface ConnectOptions {
  /** A kubeconfig file; default: `KUBECONFIG`, `~/.kube/config`, or the pod's service account, as kubectl finds them. */
  readonly kubeconfig?: string;
  /** Default: the kubeconfig's current context. */
  readonly context?: string;
  /** Default: the real world, with warnings and errors logged to stderr. */
  readonly world?: World;
}

/** How controllers run. */
export interface RunOptions {
  /** Ends the run: reconciles under way may finish, and a lease that is held is released. */
  readonly signal: AbortSignal;
  /** Run only while holding this Lease, so that of several processes one acts. Default: no election. */
  readonly leaderElection?: { readonly namespace: string; readonly name: string };
}

/** Options of {@link Cluster}, for a transport of your own: a test's API server, a recording. */
export interface ClusterOptions {
  readonly world: World;
  readonly clients: (mayWrite: () => boolean) => ClientBuilder;
}

/**
 * A connection to a Kubernetes cluster on which controllers of your own run.
 *
 * @example Against an API server in the same process
 * ```ts no-eval
 * import { Cluster, FakeWorld } from "kubeloop";
 *
 * const server = (_request: Request) => Promise.resolve(new Response("{}"));
 * const cluster = Cluster.of(server, { world: new FakeWorld() });
 * ```
 */
export class Cluster {
  readonly #options: ClusterOptions;
  /** A client with the connection's own credentials. */
  readonly client: Client;
  /** Clock, randomness, files and log: what informers and queues of one's own are made with. */
  readonly world: World;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.world = options.world;
    this.client = options.clients(() => true).client("kubeloop");
  }

  /** A cluster behind a `fetch`-shaped function. */
  static of(transport: Transport, { world, server = "http://127.0.0.1" }: { world: World; server?: string }): Cluster {
    return new Cluster({
      world,
      clients: () => new TransportClientBuilder({ world, transport, server, qps: -1, burst: 0 }),
    });
  }

  /**
   * Runs controllers until `signal` aborts.
   *
   * @throws {Error} If a controller cannot be built or ends by itself, or a lease that was held is lost.
   */
  async run(controllers: readonly ControllerDescriptor[], { signal, leaderElection }: RunOptions): Promise<void> {
    if (!leaderElection) return await this.#manage(controllers, () => true, signal);
    const { world } = this.#options;
    const stop = new AbortController();
    let isLeading = false;
    let failure: unknown;
    const elector: LeaderElector = new LeaderElector({
      world,
      name: leaderElection.name,
      lock: new LeaseLock({ client: this.client, ...leaderElection, identity: world.random.uuid() }),
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      releaseOnCancel: true,
      onStartedLeading: async (leading) => {
        isLeading = true;
        try {
          await this.#manage(controllers, () => elector.mayWrite(), AbortSignal.any([signal, leading]));
        } catch (error) {
          failure = error;
        }
        stop.abort();
      },
      onStoppedLeading: () => {},
    });
    const stopStandby = () => isLeading || stop.abort();
    signal.addEventListener("abort", stopStandby, { once: true });
    if (signal.aborted) stop.abort();
    const end = await elector.run(stop.signal);
    signal.removeEventListener("abort", stopStandby);
    if (failure !== undefined) throw failure;
    if (end === "lost") throw new Error(`Lease ${leaderElection.namespace}/${leaderElection.name} was lost`);
  }

  async #manage(
    controllers: readonly ControllerDescriptor[],
    mayWrite: () => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    await new ControllerManager({
      world: this.#options.world,
      metrics: new MetricsRegistry(),
      clients: this.#options.clients(mayWrite),
      controllers,
      controllerOptions: { ...managerOptions(managerFlags([])).controllerOptions, rootCaText: "" },
      minResyncPeriodMs: 10 * 3_600_000,
    }).run(signal);
  }
}

/**
 * Connects to a cluster as kubectl would.
 *
 * @throws {ConfigError} If there is no usable configuration; the message names file and field.
 */
export async function connect({ kubeconfig, context, world = quietWorld() }: ConnectOptions = {}): Promise<Cluster> {
  const config = await loadClientConfig(world, { kubeconfig, context });
  return new Cluster({
    world,
    clients: (mayWrite) =>
      new SimpleClientBuilder({
        world,
        config,
        transport: transportOf(world, config, { mayWrite }),
        qps: 20,
        burst: 30,
      }),
  });
}

function quietWorld(): World {
  return systemWorld(warningsOnly(createLogger({ format: "text", verbosity: 0, pid: Deno.pid })));
}
