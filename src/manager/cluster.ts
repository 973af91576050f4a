import { createLogger } from "../log/mod.ts";
import { MetricsRegistry, systemWorld, warningsOnly, type World } from "../base/mod.ts";
import {
  Client,
  type ClientBuilder,
  loadClientConfig,
  ROOT_CLIENTS,
  SimpleClientBuilder,
  type Transport,
  TransportClientBuilder,
  transportOf,
  type UserAgentParts,
} from "../client/mod.ts";
import type { ControllerDescriptor } from "../controllers/mod.ts";
import { LeaseLock } from "../election/mod.ts";
import { Candidacy } from "./candidacy.ts";
import { ControllerManager } from "./controller_manager.ts";
import { runSettings } from "./crew.ts";
import { managerFlags } from "./manager_flags.ts";
import { managerOptions } from "./options.ts";

/** How to reach a cluster. */
export interface ConnectOptions {
  /** A kubeconfig file. Default: `KUBECONFIG`, `~/.kube/config`, or the pod's service account, as for kubectl. */
  readonly kubeconfig?: string;
  /** Default: the kubeconfig's current context. */
  readonly context?: string;
  /**
   * The name under which the API server knows the process: it starts every User-Agent, so it is the default field
   * manager, and it is part of the identity in a Lease. Default: each controller's own name, and `kubeloop` for
   * everything shared.
   */
  readonly name?: string;
  /** Default: the real world, with warnings and errors logged to stderr. */
  readonly world?: World;
}

/** How controllers run. */
export interface RunOptions {
  /** Ends the run: reconciles in progress may finish, and a held lease is released. */
  readonly signal: AbortSignal;
  /** Run only while holding this Lease, so that only one of several processes acts. Default: no election. */
  readonly leaderElection?: { readonly namespace: string; readonly name: string };
}

/** Options of {@link Cluster} with a custom transport, such as a test's API server or a recording. */
export interface ClusterOptions extends Pick<ConnectOptions, "name"> {
  readonly world: World;
  readonly clients: (mayWrite: () => boolean) => ClientBuilder;
  /** Closes the clients' transport. */
  readonly close?: () => void;
}

/**
 * A connection to a Kubernetes cluster for running your own controllers. Disposing it (`using`) closes it; while open,
 * its idle connections keep the process alive.
 *
 * @example Against an API server in the same process
 * ```ts no-eval
 * import { Cluster } from "kubeloop";
 * import { FakeWorld } from "kubeloop/world";
 *
 * const server = (_request: Request) => Promise.resolve(new Response("{}"));
 * const cluster = Cluster.of(server, { world: new FakeWorld() });
 * ```
 */
export class Cluster implements Disposable {
  readonly #options: ClusterOptions;
  /** A client with the connection's own credentials. */
  readonly client: Client;
  /** Clock, randomness, files and log, for building your own informers and queues. */
  readonly world: World;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.world = options.world;
    this.client = options.clients(() => true).client(LIBRARY);
  }

  /** A cluster behind a `fetch`-shaped function. */
  static of(
    transport: Transport,
    { world, server = "http://127.0.0.1", name }: { world: World; server?: string; name?: string },
  ): Cluster {
    const agentOf = agentsOf(name);
    return new Cluster({
      world,
      name,
      clients: () =>
        new TransportClientBuilder({ world, program: LIBRARY, transport, server, qps: -1, burst: 0, agentOf }),
    });
  }

  /**
   * Runs controllers until `signal` aborts.
   *
   * @throws {Error} If a controller cannot be built or ends by itself, or a lease that was held is lost.
   */
  async run(controllers: readonly ControllerDescriptor[], { signal, leaderElection }: RunOptions): Promise<void> {
    if (!leaderElection) return await this.#manage(controllers, () => true, signal);
    const { world, clients, name = leaderElection.name } = this.#options;
    let failure: unknown;
    const candidacy: Candidacy = new Candidacy({
      world,
      name: leaderElection.name,
      lock: new LeaseLock({
        ...leaderElection,
        // A separate client, so that the rate limit of other requests cannot delay a renewal.
        client: clients(() => true).client("leader-election"),
        identity: `${name}_${world.random.uuid()}`,
      }),
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      releaseOnCancel: true,
      lead: async (leading) => {
        const mayWrite = () => candidacy.elector.mayWrite();
        await this.#manage(controllers, mayWrite, AbortSignal.any([signal, leading])).catch((error) => failure = error);
        return true;
      },
    });
    const end = await candidacy.run(signal);
    if (failure !== undefined) throw failure;
    if (end === "lost") throw new Error(`Lease ${leaderElection.namespace}/${leaderElection.name} was lost`);
  }

  /** Closes the connections. Requests in progress may finish. */
  [Symbol.dispose](): void {
    this.#options.close?.();
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
      ...runSettings(managerOptions(managerFlags([]))),
      minResyncPeriodMs: 10 * 3_600_000,
    }).run(signal);
  }
}

/**
 * Connects to a cluster as kubectl would.
 *
 * @throws {ConfigError} If there is no usable configuration; the message names file and field.
 */
export async function connect(
  { kubeconfig, context, name, world = quietWorld() }: ConnectOptions = {},
): Promise<Cluster> {
  const agentOf = agentsOf(name);
  const config = await loadClientConfig(world, { kubeconfig, context });
  const transports: ReturnType<typeof transportOf>[] = [];
  return new Cluster({
    world,
    name,
    clients: (mayWrite) => {
      const transport = transportOf(world, config, { mayWrite });
      transports.push(transport);
      return new SimpleClientBuilder({ world, program: LIBRARY, config, transport, qps: 20, burst: 30, agentOf });
    },
    close: () => transports.forEach((transport) => transport.close()),
  });
}

const LIBRARY = "kubeloop";

/** Each client's User-Agent: an operator's version is unknown here, and it is not Kubernetes'. */
function agentsOf(name: string | undefined): (client: string) => UserAgentParts {
  return (client) => ({ program: name ?? (ROOT_CLIENTS.has(client) ? LIBRARY : client), version: "unknown" });
}

function quietWorld(): World {
  return systemWorld(warningsOnly(createLogger({ format: "text", verbosity: 0, pid: Deno.pid })));
}
