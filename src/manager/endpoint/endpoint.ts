import { HttpsServer, KUBERNETES_VERSION, type MetricsRegistry, type Peer, type World } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { Health } from "../health.ts";
import type { ManagerOptions } from "../options.ts";
import type { Ask } from "../questions.ts";
import { jsonAnswer, refusal, statusAnswer } from "./answers.ts";
import { Authenticator } from "./authentication.ts";
import { Authorizer } from "./authorization.ts";
import { CertificateSource } from "./certificate_source.ts";
import { configuration } from "./configz.ts";
import type { HealthRecord } from "./health_record.ts";
import { metricsPage, slisPage } from "./metrics_pages.ts";
import { processUsage, registerProcessMetrics } from "./process_metrics.ts";
import { readinessPage } from "./readiness.ts";
import { AccessReviews, TokenReviews } from "./reviews.ts";
import { controllerPage, dispatch, flagsIndexPage, type Route, verbosityPage, versionPage } from "./routes.ts";
import { Trust } from "./trust.ts";
import { flagzPage, statuszPage } from "./z_pages.ts";

/** The manager's HTTPS endpoint. */
export interface Endpoint extends AsyncDisposable {
  readonly port: number;
}

/** What the endpoint asks the API server as whom; absent where no kubeconfig says. */
export interface EndpointClients {
  /** Of `--authentication-kubeconfig`. */
  readonly authentication?: Client;
  /** Of `--authorization-kubeconfig`. */
  readonly authorization?: Client;
}

/** What the endpoint shows. */
export interface EndpointOptions extends EndpointClients {
  readonly world: World;
  readonly options: ManagerOptions;
  readonly health: Health;
  /** How the checks of `health` went. */
  readonly record: HealthRecord;
  readonly metrics: MetricsRegistry;
  /** Asks the threads of the controllers. */
  readonly ask: Ask;
  setVerbosity(verbosity: number): void;
}

/**
 * Serves the secure port, on standbys too.
 *
 * Contract:
 * 1. Every request is authenticated, then authorized, before its path is looked at.
 * 2. What goes wrong in an answer is logged and answered with 500; why is withheld.
 *
 * @returns Nothing when `--secure-port` is 0.
 * @throws {Error} If a certificate cannot be read, the look-up of authorities fails, or the address is in use; the message
 * names which.
 */
export async function serveEndpoint(endpoint: EndpointOptions): Promise<Endpoint | undefined> {
  const { world, options: { securePort, bindAddress, ...options }, metrics } = endpoint;
  if (securePort === 0) return undefined;
  warnOfMissingKubeconfigs(endpoint);
  const certificates = await CertificateSource.open(world, { bindAddress, ...options });
  const trust = await Trust.load(world, options.authentication, endpoint.authentication);
  const stop = new AbortController();
  const { signal } = stop;
  const authenticator = new Authenticator({
    world,
    metrics,
    trusted: () => trust.trusted,
    tokens: endpoint.authentication &&
      new TokenReviews({ world, client: endpoint.authentication, signal }, {
        ttlMs: options.authentication.tokenTtlMs,
      }),
  });
  const authorizer = new Authorizer({
    world,
    metrics,
    alwaysAllowPaths: options.authorization.alwaysAllowPaths,
    reviews: endpoint.authorization &&
      new AccessReviews({ world, client: endpoint.authorization, signal }, options.authorization),
  });
  const routes = await routesOf(endpoint);
  const log = world.log.named("endpoint");
  const server = await HttpsServer.listen({
    hostname: bindAddress,
    port: securePort,
    certificate: certificates.current,
    handler: async (request, peer) => {
      const startMs = world.clock.monotonicMs();
      const url = new URL(request.url);
      const response = await guarded(request, peer, { authenticator, authorizer, url, routes }).catch(
        (error: Error) => {
          log.error("Request failed", { err: error, verb: request.method, path: url.pathname });
          return refusal(500, `Internal Server Error: ${JSON.stringify(url.pathname)}`);
        },
      );
      log.verbose(3, "HTTP", {
        verb: request.method,
        URI: url.pathname + url.search,
        latencyMs: world.clock.monotonicMs() - startMs,
        userAgent: request.headers.get("user-agent") ?? "",
        srcIP: peer.address,
        resp: response.status,
      });
      return response;
    },
  });
  log.info("Serving securely", { address: `${bindAddress}:${server.port}` });
  if (!server.asksForCertificates) {
    log.warn(
      "This runtime cannot ask clients for certificates: client certificates and front proxies do not authenticate",
    );
  }
  const background = Promise.all([certificates.follow(server, signal), trust.refresh(signal)]);
  return {
    port: server.port,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await server.close();
      await background;
    },
  };
}

interface Guards {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly url: URL;
  readonly routes: readonly Route[];
}

async function guarded(
  request: Request,
  peer: Peer,
  { authenticator, authorizer, url, routes }: Guards,
): Promise<Response> {
  const user = await authenticator.userOf(request, peer);
  if (!user) return statusAnswer(request, 401, { reason: "Unauthorized", message: "Unauthorized" });
  const verb = request.method.toLowerCase();
  const { isAllowed, reason } = await authorizer.decide(user, verb, url.pathname);
  if (isAllowed) return await dispatch(routes, request, url);
  const said = `forbidden: User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(url.pathname)}`;
  return statusAnswer(request, 403, {
    reason: "Forbidden",
    message: reason === "" ? said : `${said}: ${reason}`,
    hasDetails: true,
  });
}

async function routesOf(endpoint: EndpointOptions): Promise<Route[]> {
  const { world, options, health, record, metrics, ask, setVerbosity } = endpoint;
  const { flags, gates } = options;
  const usage = await processUsage();
  const startSeconds = registerProcessMetrics(world, { metrics, gates, usage });
  const isOn = (gate: string) => gates.all.some(({ name, enabled }) => name === gate && enabled);
  const status = () => ({
    startMs: startSeconds * 1000,
    upMs: world.clock.wallMs() - startSeconds * 1000,
    runtime: `Deno ${Deno.version.deno}`,
    binaryVersion: KUBERNETES_VERSION.slice(1),
    emulationVersion: gates.emulatedVersion,
  });
  const view = options.metricsView;
  const profiling: Route[] = [
    { path: "/debug/flags/v", answer: (request) => verbosityPage(request, setVerbosity) },
    { path: "/debug/flags", answer: flagsIndexPage },
    { path: "/debug/flags/", answer: flagsIndexPage },
  ];
  return [
    { path: "/healthz", answer: (request) => health.respond(request) },
    { path: "/readyz", answer: () => readinessPage(health, metrics) },
    { path: "/metrics", answer: () => metricsPage({ clock: world.clock, metrics, ask, view, startSeconds }) },
    { path: "/metrics/slis", answer: (request) => slisPage(request, record, startSeconds) },
    { path: "/configz", answer: () => jsonAnswer(configuration(flags, options.controllerEntries)) },
    { path: "/version", methods: ["GET", "HEAD"], answer: () => versionPage(gates.emulatedVersion) },
    ...isOn("ComponentFlagz")
      ? [{ path: "/flagz", answer: (request: Request) => flagzPage(request, flags.entries()) }]
      : [],
    ...isOn("ComponentStatusz")
      ? [{ path: "/statusz", answer: (request: Request) => statuszPage(request, status()) }]
      : [],
    ...flags.bool("profiling") ? profiling : [],
    { path: "/debug/controllers/*", answer: (_, url) => controllerPage(url, ask) },
  ];
}

function warnOfMissingKubeconfigs({ world: { log }, options, authentication, authorization }: EndpointOptions): void {
  if (!authentication) {
    log.warn("No authentication-kubeconfig provided: bearer tokens are not looked at, their senders are anonymous");
    if (options.authentication.clientCaFile === "") {
      log.warn("No client-ca-file and no authentication-kubeconfig provided: client certificates are not looked at");
    }
  }
  if (!authorization) {
    log.warn(
      "No authorization-kubeconfig provided: only members of system:masters and always allowed paths get through",
    );
  }
}
