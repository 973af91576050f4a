import { MetricsRegistry, type World } from "../base/mod.ts";
import {
  basicCredentials,
  type Credentials,
  tokenCredentials,
  withCredentials,
  withImpersonation,
} from "./credentials/credentials.ts";
import { ExecPlugin } from "./credentials/exec_plugin.ts";
import { type ExecRunner, runProcess } from "./credentials/exec_runner.ts";
import { TlsMaterial } from "./credentials/tls_material.ts";
import { TokenFile } from "./credentials/token_file.ts";
import { type HttpTransport, httpTransport, type HttpTransportOptions } from "./http/http_transport.ts";
import { proxyFor } from "./http/proxy_environment.ts";
import { ConfigError } from "./kubeconfig/config_error.ts";
import type { ClientConfig } from "./client_config.ts";
import type { Environment } from "./environment.ts";
import { type Exchange, untilAborted, webTransport } from "./transport.ts";

/** A write request was held back because this process lost its lease and may no longer write. Do not retry it. */
export class WriteRefusedError extends Error {
  override readonly name = "WriteRefusedError";

  constructor({ method, url }: { readonly method: string; readonly url: string }) {
    super(`${method} ${url} was not sent: this process may not write any more`);
  }
}

/** Holds back write requests with a {@link WriteRefusedError} while `mayWrite` returns `false`. */
export function writeFence(mayWrite: () => boolean): NonNullable<HttpTransportOptions["beforeWrite"]> {
  return (request) => {
    if (request.method !== "GET" && request.method !== "HEAD" && !mayWrite()) throw new WriteRefusedError(request);
  };
}

/** Options of {@link transportOf}. */
export interface TransportOptions extends
  Pick<
    HttpTransportOptions,
    "beforeWrite" | "maxConnections" | "maxInFlight" | "maxIdle" | "idleTimeoutMs" | "dial"
  > {
  readonly metrics?: MetricsRegistry;
  /** Provides `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; if absent, only the configuration's own proxy is used. */
  readonly env?: Environment;
  /**
   * Called immediately before the bytes of a write request go to the socket; `false` holds the request back with {@link
   * WriteRefusedError}.
   */
  readonly mayWrite?: () => boolean;
  /** Runs exec plugins; real processes if absent. */
  readonly runExec?: ExecRunner;
  /** Whether an exec plugin may ask questions on standard input. */
  readonly isTerminal?: () => boolean;
}

/**
 * The transport to the API server of `config`, with its credentials: tokens and certificates that rotate, exec plugins,
 * impersonation, proxies. All clients of a process share one.
 *
 * @example
 * ```ts
 * import { loadClientConfig, SimpleClientBuilder, transportOf } from "kubeloop/client";
 * import { FakeWorld } from "kubeloop/world";
 *
 * const world = new FakeWorld({ files: { "/etc/admin.conf": "{ clusters: [], users: [], contexts: [] }" } });
 * const config = await loadClientConfig(world, { kubeconfig: "/etc/admin.conf", master: "https://10.0.0.1:6443", env: {} });
 * const transport = transportOf(world, config);
 * const clients = new SimpleClientBuilder({ world, program: "example", transport, config });
 * const client = clients.client("example"); // for example: await client.request("GET", "/version")
 * transport.close();
 * ```
 */
export function transportOf(world: World, config: ClientConfig, options: TransportOptions = {}): HttpTransport {
  const { metrics = new MetricsRegistry(), env, runExec, isTerminal, mayWrite, beforeWrite, ...http } = options;
  if (config.insecure && config.ca) {
    throw new ConfigError("specifying a root certificates file with the insecure flag is not allowed");
  }
  const isTls = config.server.startsWith("https:");
  const run = runExec ?? runProcess;
  const exec = isTls && hasNoCredentials(config) && config.exec
    ? new ExecPlugin({
      world,
      config: config.exec,
      run,
      metrics,
      isTerminal: isTerminal ?? (() => Deno.stdin.isTerminal()),
    })
    : undefined;
  const listener = {
    caChanged: () => transport.closeIdle(),
    certificateChanged: () => {
      world.log.info("Certificate rotation detected, shutting down client connections to start using new credentials");
      transport.closeAll(new Error("client certificate rotated"));
    },
  };
  const material = new TlsMaterial({ world, config, metrics, exec, listener });
  const fence = mayWrite && writeFence(mayWrite);
  const proxyUrl = config.proxyUrl ?? (env && proxyFor(config.server, env));
  const transport = httpTransport({
    ...http,
    beforeWrite: (request) => {
      fence?.(request);
      beforeWrite?.(request);
    },
    world,
    server: config.server,
    tls: () => material.settings(),
    proxyUrl,
    disableCompression: config.disableCompression,
  });
  let exchange: Exchange = transport.exchange;
  if (isTls && material.isReloadable) exchange = reloading(exchange, material);
  const credentials = isTls ? credentialsOf(world, config, exec) : undefined;
  if (credentials) exchange = withCredentials(exchange, credentials);
  if (exec) exchange = untilAborted(exchange); // a plugin may hang longer than a request may take
  if (config.impersonate) exchange = withImpersonation(exchange, config.impersonate);
  if (exchange === transport.exchange) return transport;
  const { closeIdle, closeAll, close, counts, tls } = transport;
  return Object.assign(webTransport(exchange), { exchange, closeIdle, closeAll, close, counts, tls });
}

/** Checks for changed files before each request, so that it uses a connection with the new ones. */
function reloading(exchange: Exchange, material: TlsMaterial): Exchange {
  return async (request) => {
    await material.settings();
    return await exchange(request);
  };
}

/** An exec plugin is used only if the configuration has no other credentials. */
function hasNoCredentials({ token, tokenFile, basic, clientCertificate }: ClientConfig): boolean {
  return !token && !tokenFile && !basic && !clientCertificate;
}

function credentialsOf(
  world: World,
  { token, tokenFile, basic }: ClientConfig,
  exec: ExecPlugin | undefined,
): Credentials | undefined {
  if (tokenFile) return new TokenFile(world, { path: tokenFile, fallback: token });
  if (token) return tokenCredentials(token);
  return basic ? basicCredentials(basic) : exec;
}
