import type { MetricsRegistry, World } from "../base/mod.ts";
import { Client } from "./client.ts";
import type { ClientConfig } from "./client_config.ts";
import { TokenBucket } from "./rate_limiter.ts";
import { ServerOutages } from "./server_outages.ts";
import type { Transport } from "./transport.ts";
import { userAgent, type UserAgentParts } from "./user_agent.ts";

/** How one named client differs from the others. */
export interface NamedClientOptions {
  /** Multiplies the builder's rate; default 1. */
  readonly qpsFactor?: number;
  readonly burstFactor?: number;
  /** Requests per second, instead of the builder's rate; negative for no limit. */
  readonly qps?: number;
  readonly burst?: number;
  /** For every request of this client, see `ClientOptions`. */
  readonly timeoutMs?: number;
}

/** Makes the clients of a process, each with its own name, limiter and possibly credentials. */
export interface ClientBuilder {
  /** A client whose User-Agent ends with `name`. Each call creates a new limiter. */
  client(name: string, options?: NamedClientOptions): Client;
}

/** What clients of one server have in common. */
export interface ClientBuilderOptions {
  readonly world: World;
  readonly server: string;
  readonly metrics?: MetricsRegistry;
  /** Shared by clients of the same server. Default: one for this builder's clients. */
  readonly outages?: ServerOutages;
  /** `--kube-api-qps`; default 20. */
  readonly qps?: number;
  /** `--kube-api-burst`; default 30. */
  readonly burst?: number;
  /** The program's name, with which User-Agents begin. */
  readonly program: string;
  /** Overrides parts of the User-Agent by client name. */
  readonly agentOf?: (client: string) => Partial<UserAgentParts>;
}

/** Options of {@link TransportClientBuilder}. */
export type TransportClientBuilderOptions =
  & ClientBuilderOptions
  & ({ readonly transport: Transport } | { readonly transportOf: (client: string) => Transport });

/**
 * Clients of one server that share one transport, or use the one that `transportOf` returns for their name.
 *
 * Contract:
 * 1. Each client has its own token bucket, so that one controller's burst delays no other.
 * 2. The name appears in the User-Agent only.
 * 3. All of them learn of the end of an outage by the first request that succeeds.
 *
 * @example
 * ```ts
 * import { TransportClientBuilder } from "kubeloop/client";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const transport = (request: Request) => Promise.resolve(Response.json(request.headers.get("user-agent")));
 * const clients = new TransportClientBuilder({
 *   world: new FakeWorld(),
 *   program: "example",
 *   transport,
 *   server: "https://example.test",
 * });
 * assertStringIncludes(await clients.client("job-controller").request("GET", "/version"), "/job-controller");
 * ```
 */
export class TransportClientBuilder implements ClientBuilder {
  readonly #options: ClientBuilderOptions;
  readonly #outages: ServerOutages;
  readonly #transportOf: (client: string) => Transport;

  constructor(options: TransportClientBuilderOptions) {
    this.#options = options;
    this.#outages = options.outages ?? new ServerOutages();
    this.#transportOf = "transport" in options ? () => options.transport : options.transportOf;
  }

  client(name: string, { qpsFactor = 1, burstFactor = 1, timeoutMs, ...own }: NamedClientOptions = {}): Client {
    const { program, agentOf, qps = 20, burst = 30, world, server, metrics } = this.#options;
    const rate = { qps: own.qps ?? qps * qpsFactor, burst: own.burst ?? burst * burstFactor };
    const limiter = new TokenBucket(world.clock, rate);
    const transport = this.#transportOf(name);
    return new Client({
      world,
      server,
      metrics,
      outages: this.#outages,
      transport,
      limiter,
      timeoutMs,
      userAgent: userAgent(name, { program, ...agentOf?.(name) }),
    });
  }
}

/** Options of {@link SimpleClientBuilder}. */
export interface SimpleClientBuilderOptions extends Omit<ClientBuilderOptions, "server"> {
  readonly transport: Transport;
  readonly config: ClientConfig;
}

/**
 * Clients for one configuration. Its transport adds the credentials.
 * Upstream: `k8s.io/controller-manager/pkg/clientbuilder` (SimpleControllerClientBuilder).
 */
export class SimpleClientBuilder extends TransportClientBuilder {
  constructor({ config, ...rest }: SimpleClientBuilderOptions) {
    super({ ...rest, server: config.server });
  }
}
