import { Deferred, FairQueue, goQuote, type Logger, QueueFullError, type World } from "../../base/mod.ts";
import { HttpsServer, type Peer } from "../../https/mod.ts";
import { formatDuration } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";
import { refusal, statusAnswer, tooMany } from "./answers.ts";
import { EndpointAuthenticator } from "./authentication.ts";
import { Authorizer } from "./authorization.ts";
import { CertificateReviews } from "./certificate_reviews.ts";
import { CertificateSource } from "./certificate_source.ts";
import { trackEndpoint, trackReviews } from "./endpoint_gauges.ts";
import { metricsView } from "./metrics_view.ts";
import { AccessReviews, TokenReviews } from "./reviews.ts";
import { type EndpointContents, routeTable } from "./route_table.ts";
import { dispatch, type Route } from "./routes.ts";
import { Trust } from "./trust.ts";

/** The manager's HTTPS endpoint. */
export interface Endpoint extends AsyncDisposable {
  readonly port: number;
}

/** The clients with which the endpoint asks the API server; absent without a kubeconfig. */
export interface EndpointClients {
  /** Of `--authentication-kubeconfig`. */
  readonly authentication?: Client;
  /** Of `--authorization-kubeconfig`. */
  readonly authorization?: Client;
}

/** What the endpoint needs. */
export interface EndpointOptions extends EndpointClients, EndpointContents {}

/**
 * Serves the secure port, on standbys too.
 *
 * Contract:
 * 1. Every request is authenticated, then authorized, before its path is looked at.
 * 2. An error while answering is logged and answered with 500; the reason is withheld.
 * 3. Files are read and the port is taken before the API server is asked anything.
 * 4. Addresses take fair turns, 500 requests a second in all; an address with too many waiting is answered with 429.
 *
 * @returns `undefined` if `--secure-port` is 0.
 * @throws {Error} If a certificate cannot be read, the look-up of authorities fails, or the address is in use; the
 *   message says which.
 */
export async function serveEndpoint(endpoint: EndpointOptions): Promise<Endpoint | undefined> {
  const { world, options: { securePort, bindAddress, ...options } } = endpoint;
  const view = await metricsView(world, options.metricsView);
  if (securePort === 0) return undefined;
  warnOfMissingKubeconfigs(endpoint);
  const certificates = await CertificateSource.open(world, {
    bindAddress,
    pairName: options.flags.component.name,
    ...options,
  });
  await using undo = new AsyncDisposableStack();
  const guards = new Deferred<Guards>();
  const log = world.log.named("endpoint");
  const server = undo.use(
    await HttpsServer.listen({
      clock: world.clock,
      hostname: bindAddress,
      port: securePort,
      isPortShared: options.isPortShared,
      certificates: certificates.current,
      demands: options.tlsDemands,
      handler: async (request, peer) => await answered(request, peer, { world, log, guards: await guards.promise }),
    }).catch(namingFlags),
  );
  // Requests that arrive before the trusted authorities are known lose the connection if the look-up fails.
  guards.promise.catch(() => {});
  undo.defer(() => {
    if (!guards.settled) guards.reject(new Error("the endpoint was not opened"));
  });
  const trust = await Trust.load(world, options.authentication, endpoint.authentication);
  const stop = new AbortController();
  const { signal } = stop;
  const requests = new FairQueue({ clock: world.clock, ...REQUESTS });
  trackEndpoint(endpoint.metrics, { server, requests });
  guards.resolve({
    requests,
    ...gatesOf(endpoint, { trust, signal }),
    routes: await routeTable(endpoint, { view, signal }),
  });
  log.info("Serving securely", { address: `${bindAddress}:${server.port}` });
  if (!server.asksForCertificates) {
    log.warn(
      "This runtime cannot ask clients for certificates: client certificates and front proxies do not authenticate, " +
        "--tls-sni-cert-key and --permit-port-sharing have no effect, and certificates that change need a new start",
    );
  }
  const background = Promise.all([certificates.follow(server, signal), trust.refresh(signal)]);
  const opened = undo.move();
  return {
    port: server.port,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await opened.disposeAsync();
      requests.close();
      await background;
    },
  };
}

/** The authenticator and authorizer. */
function gatesOf(
  { world, metrics, options, ...clients }: EndpointOptions,
  { trust, signal }: { readonly trust: Trust; readonly signal: AbortSignal },
): Pick<Guards, "authenticator" | "authorizer"> {
  const tokens = clients.authentication &&
    new TokenReviews({ world, client: clients.authentication, signal }, { ttlMs: options.authentication.tokenTtlMs });
  const reviews = clients.authorization &&
    new AccessReviews({ world, client: clients.authorization, signal }, options.authorization);
  trackReviews(metrics, { tokens, access: reviews });
  const authenticator = new EndpointAuthenticator({
    world,
    metrics,
    trusted: () => trust.trusted,
    certificates: new CertificateReviews(world.clock, signal),
    tokens,
  });
  const authorizer = new Authorizer({
    world,
    metrics,
    alwaysAllowPaths: options.authorization.alwaysAllowPaths,
    reviews,
  });
  return { authenticator, authorizer };
}

/** Adds the two flags that determine what the system refused. */
function namingFlags(error: Error): never {
  if (!(error.cause instanceof Error && "code" in error.cause)) throw error;
  throw new Error(`${error.message}: see --bind-address and --secure-port`, { cause: error });
}

/** A request takes the main thread up to 0.3 ms, whoever sends it, so a flood gets at most a sixth of its time. */
const REQUESTS = { perSecond: 500, burst: 100, mostHeld: 800, mostHeldOfOne: 200 } as const;

interface Guards {
  readonly requests: FairQueue;
  readonly authenticator: EndpointAuthenticator;
  readonly authorizer: Authorizer;
  readonly routes: readonly Route[];
}

/** Implements sentence 2 of the contract and logs each request. */
async function answered(
  request: Request,
  peer: Peer,
  { world: { clock }, log, guards }: { readonly world: World; readonly log: Logger; readonly guards: Guards },
): Promise<Response> {
  const startMs = clock.monotonicMs();
  const { method, target, path } = peer.asked;
  const turn = guards.requests.run(peer.source, () => guarded(request, peer, guards));
  const response = await turn.catch((error: Error) => {
    if (error instanceof QueueFullError) return tooMany();
    log.error("Request failed", { err: error, verb: method, path });
    return refusal(500, `Internal Server Error: ${goQuote(target)}`);
  });
  log.verbose(3, "HTTP", {
    verb: method,
    URI: target,
    latency: formatDuration(clock.monotonicMs() - startMs),
    userAgent: request.headers.get("user-agent") ?? "",
    "audit-ID": "",
    srcIP: peer.address,
    resp: response.status,
  });
  return response;
}

async function guarded(
  request: Request,
  peer: Peer,
  { authenticator, authorizer, routes }: Guards,
): Promise<Response> {
  const user = await authenticator.userOf(request, peer);
  if (!user) return statusAnswer(request, 401, { reason: "Unauthorized", message: "Unauthorized" });
  const { method, path } = peer.asked;
  const verb = method.toLowerCase();
  const { isAllowed, reason } = await authorizer.decide(user, { verb, path }, peer.source);
  if (isAllowed) return await dispatch(routes, request, peer);
  const said = `forbidden: User ${goQuote(user.name)} cannot ${verb} path ${goQuote(path)}`;
  return statusAnswer(request, 403, {
    reason: "Forbidden",
    message: reason === "" ? said : `${said}: ${reason}`,
    hasDetails: true,
  });
}

function warnOfMissingKubeconfigs({ world: { log }, options, authentication, authorization }: EndpointOptions): void {
  if (!authentication) {
    log.warn("No authentication-kubeconfig provided: bearer tokens are ignored and their senders are anonymous");
    if (options.authentication.clientCaFile === "") {
      log.warn("No client-ca-file and no authentication-kubeconfig provided: client certificates are ignored");
    }
  }
  if (!authorization) {
    log.warn(
      "No authorization-kubeconfig provided: only members of system:masters and always allowed paths get through",
    );
  }
}
