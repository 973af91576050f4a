import type { World } from "../../base/mod.ts";
import type { Client } from "../client.ts";
import {
  type ClientBuilder,
  type NamedClientOptions,
  type SimpleClientBuilderOptions,
  TransportClientBuilder,
} from "../client_builder.ts";
import { withCredentials } from "../credentials/credentials.ts";
import { type Exchange, exchangeOf, type Transport, webTransport } from "../transport.ts";
import { userAgent } from "../user_agent.ts";
import { AccountToken } from "./account_token.ts";
import { ACCOUNT_NAMESPACE } from "./ensure_account.ts";
import { issueToken } from "./issue_token.ts";
import { ROOT_CLIENTS } from "./root_clients.ts";

/** Options of {@link ServiceAccountClientBuilder}. */
export interface ServiceAccountClientBuilderOptions extends SimpleClientBuilderOptions {
  /** Reaches the server anonymously: see {@link withoutCredentials}. All accounts share its connections. */
  readonly anonymous: Transport;
}

/** When the manager begins to lead, all controllers request their tokens at once; later, seldom. */
const TOKEN_CLIENT = { qps: 20, burst: 200, timeoutMs: 30_000 } as const;

/**
 * Clients that each act as the ServiceAccount of their name in `kube-system`, and so have only that controller's
 * rights.
 *
 * Contract:
 * 1. The client called N sends as `system:serviceaccount:kube-system:N`, and its User-Agent says so; however many
 *    clients and threads use the name, there is one token for it.
 * 2. The clients in {@link ROOT_CLIENTS}, and the one called as the program, send with the process's own credentials.
 * 3. Asking for a token is a write: it passes the fence of `transport`.
 * 4. Rate limits are those of every builder: each client has its own.
 *
 * Upstream: `k8s.io/controller-manager/pkg/clientbuilder` (DynamicControllerClientBuilder).
 *
 * @example
 * ```ts
 * import { ServiceAccountClientBuilder, transportOf, withoutCredentials } from "kubeloop/client";
 * import { FakeWorld } from "kubeloop/world";
 *
 * const world = new FakeWorld();
 * const config = { server: "https://10.0.0.1:6443", token: "root" };
 * const transport = transportOf(world, config);
 * const anonymous = transportOf(world, withoutCredentials(config));
 * const program = "kube-controller-manager";
 * const clients = new ServiceAccountClientBuilder({ world, program, config, transport, anonymous });
 * const client = clients.client("job-controller"); // for example: await client.request("GET", "/version")
 * console.assert(clients.transport("shared-informers") === transport);
 * ```
 */
export class ServiceAccountClientBuilder implements ClientBuilder {
  readonly #builder: TransportClientBuilder;
  readonly #world: World;
  readonly #program: string;
  readonly #root: Transport;
  readonly #anonymous: Exchange;
  readonly #tokenClient: Client;
  readonly #tokens = new Map<string, AccountToken>();
  readonly #transports = new Map<string, Transport>();

  constructor({ config, transport, anonymous, ...rest }: ServiceAccountClientBuilderOptions) {
    this.#builder = new TransportClientBuilder({
      ...rest,
      server: config.server,
      transportOf: (client) => this.transport(client),
    });
    this.#world = rest.world;
    this.#program = rest.program;
    this.#root = transport;
    this.#anonymous = exchangeOf(anonymous);
    this.#tokenClient = this.#builder.client(rest.program, TOKEN_CLIENT);
  }

  client(name: string, options?: NamedClientOptions): Client {
    return this.#builder.client(name, options);
  }

  /** The transport of the client called `name`. It sets its own User-Agent, whatever the request has. */
  transport(name: string): Transport {
    if (name === this.#program || ROOT_CLIENTS.has(name)) return this.#root;
    let transport = this.#transports.get(name);
    if (!transport) this.#transports.set(name, transport = this.#transportAs(name));
    return transport;
  }

  /** The token of the account called `name`. */
  token(name: string): AccountToken {
    let token = this.#tokens.get(name);
    if (!token) {
      const { clock, log } = this.#world;
      const client = this.#tokenClient;
      const issue = (signal: AbortSignal) => issueToken({ client, name, clock, log, signal });
      this.#tokens.set(name, token = new AccountToken({ world: this.#world, name, issue }));
    }
    return token;
  }

  #transportAs(name: string): Transport {
    return accountTransport(name, {
      program: this.#program,
      anonymous: this.#anonymous,
      token: this.token(name),
    });
  }
}

/** Sends as the account called `name`, which the User-Agent shows. */
export function accountTransport(
  name: string,
  { program, anonymous, token }: {
    readonly program: string;
    readonly anonymous: Exchange;
    readonly token: AccountToken;
  },
): Transport {
  const exchange = withCredentials(anonymous, token);
  const agent = userAgent(`system:serviceaccount:${ACCOUNT_NAMESPACE}:${name}`, { program });
  return webTransport((request) => exchange({ ...request, headers: { ...request.headers, "user-agent": agent } }));
}
