import { errorText, type World } from "../../base/mod.ts";
import { groupResource, joinKey, type KubeObject, type Resource } from "../../api/mod.ts";
import { type Backend, MemoryBackend, Store, type StoreEvent } from "../storage/mod.ts";
import { type AggregatedService, ResourceTable } from "./resources/mod.ts";
import { Aggregator, DefinitionController, expireEvents, serveApiServices } from "./controllers/mod.ts";
import { answerError, negotiate, routeOf } from "./requests/mod.ts";
import type { ClientCertificate } from "./authentication/mod.ts";
import type { User } from "./access/mod.ts";
import { ALWAYS_ALLOW, RbacAuthorizer } from "./authorization/mod.ts";
import { bootstrap, type BootstrapOptions, firstAddress } from "./bootstrap/mod.ts";
import { ApiError, internalError } from "./base/mod.ts";
import type { Exchange } from "./exchange/mod.ts";
import { Faults } from "./faults/mod.ts";
import { Gate, type GateOptions } from "./gate.ts";
import { handleResource } from "./handlers/mod.ts";
import { decideGates, type ServerOptions } from "./traits/mod.ts";
import { type ServerState, type WebhookHandler, WebhookRoutes, type WebhookTransport } from "./operations/mod.ts";
import { serveStatic, serviceBehind } from "./static_paths.ts";
import { TABLES } from "./tables/mod.ts";
import { type WatchEnd, Watches, type WatchFilter } from "./reads/mod.ts";

/** Options of {@link createApiServer}; only the world is required. */
export interface ApiServerOptions extends Partial<ServerOptions>, Partial<Omit<GateOptions, "mode">>, BootstrapOptions {
  readonly world: World;
  /** Where objects are stored; in memory by default. */
  readonly backend?: Backend;
  /** How many past writes of a collection are kept for watches to start from. */
  readonly historyLimit?: number;
  /** Whether to create the namespaces, priority classes and services that every cluster has. True by default. */
  readonly bootstraps?: boolean;
  /**
   * Features of kube-apiserver to turn on or off, such as `GenericWorkload`, which serves Workloads and PodGroups. The
   * defaults are those of v1.36.
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** How long events are kept after their last write; one hour by default. */
  readonly eventTtlMs?: number;
  /**
   * Whether requests need credentials. By default they do not: a request without any is the administrator's. If they
   * are `required`, it is `system:anonymous`'s.
   */
  readonly authentication?: "none" | "required";
  /** Calls webhooks outside this process; without it, only those added with {@link ApiServer.addWebhook} are called. */
  readonly webhookTransport?: WebhookTransport;
}

/**
 * A small Kubernetes API server in this process: a development stand-in, not a production store.
 *
 * Contract:
 * 1. `fetch` answers as kube-apiserver v1.36 would, with errors as Status bodies; it rejects only for a dropped
 *    connection or an aborted request.
 * 2. Reading, deciding and writing are one step: no two requests interleave within it. If webhooks must be called for a
 *    write, the step is repeated with their answers.
 * 3. After `close` every watch has ended and every request is refused with 503.
 */
export class ApiServer {
  /** Makes requests fail on purpose. */
  readonly faults: Faults;
  readonly #state: ServerState;
  readonly #gate: Gate;
  readonly #watches = new Watches();
  readonly #definitions: DefinitionController;
  readonly #aggregator = new Aggregator(() => this.#state);
  readonly #stopExpiry: () => void;
  readonly #stopApiServices: (() => void) | undefined;
  readonly #pages = new Map<string, (request: Request) => Promise<Response>>();
  #isClosed = false;

  constructor(
    { world, backend, historyLimit, bootstraps = true, eventTtlMs = 3_600_000, ...options }: ApiServerOptions,
  ) {
    const store = new Store({ backend: backend ?? new MemoryBackend(), clock: world.clock, historyLimit });
    const gates = decideGates(options.featureGates ?? {});
    const { authorization = "AlwaysAllow", authentication: mode = "none" } = options;
    this.#state = {
      world,
      store,
      resources: new ResourceTable(gates),
      gates,
      aggregation: this.#aggregator,
      webhooks: new WebhookRoutes(options.webhookTransport),
      options: {
        serviceCidr: options.serviceCidr ?? "10.96.0.0/16",
        managedFields: options.managedFields ?? true,
        watchBufferEvents: options.watchBufferEvents ?? 10_000,
      },
      ...authorization === "RBAC" ? new RbacAuthorizer(store) : ALWAYS_ALLOW,
    };
    this.#gate = new Gate(this.#state, { ...options, authorization, mode });
    this.faults = new Faults(world, this.#state.store);
    this.#definitions = new DefinitionController(this.#state, (resource) => this.#watches.closeAll({ resource }));
    this.#stopExpiry = expireEvents(this.#state, eventTtlMs);
    if (bootstraps) {
      bootstrap(this.#state, options);
      this.#stopApiServices = serveApiServices(this.#state);
    }
    this.#aggregator.start();
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#state.store.revision;
  }

  /** The number of open watches. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** The administrator's bearer token. It stays the same if the backend keeps its data. */
  get adminToken(): string {
    return this.#gate.authenticator.adminToken;
  }

  /** The address of the Service `kubernetes`: the first of the Services' range. */
  get serviceAddress(): string {
    return firstAddress(this.#state.options.serviceCidr);
  }

  /**
   * The private key, in PEM, that signs service account tokens. A token controller that signs with it issues tokens
   * that this server accepts.
   */
  serviceAccountKey(): Promise<string> {
    return this.#gate.authenticator.keys.privateKeyText();
  }

  /**
   * Serves one request; a `Transport`.
   *
   * @param certificate The client's certificate, verified by whoever accepted the connection.
   */
  readonly fetch = async (request: Request, certificate?: ClientCertificate): Promise<Response> => {
    request.signal.throwIfAborted();
    const response = await this.#answer(request, certificate);
    return request.method === "HEAD" ? await withoutBody(response) : response;
  };

  async #answer(request: Request, certificate?: ClientCertificate): Promise<Response> {
    const warnings = new Set<string>();
    try {
      return await this.#serve(request, warnings, certificate);
    } catch (error) {
      if (error instanceof ApiError) return answerError(error, { warnings });
      if (error instanceof TypeError && error.message.startsWith("error sending request")) throw error;
      request.signal.throwIfAborted();
      const { world } = this.#state;
      world.log.error("Request failed", { method: request.method, url: request.url, err: error });
      return answerError(internalError(errorText(error)));
    }
  }

  /** Serves `answer` at `path`, outside all resources, to users who may access the path. */
  addPage(path: string, answer: (request: Request) => Promise<Response>): void {
    this.#pages.set(path, answer);
  }

  /** Adds a service in this process that serves the versions its APIServices name. */
  addService(service: AggregatedService): void {
    this.#aggregator.add(service);
  }

  /**
   * Lets `handler` answer as the webhook at an origin until the returned function is called.
   *
   * @param origin `https://hooks.example.com`, or `https://NAME.NAMESPACE.svc` for a Service.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubeloop/apiserver";
   * import { FakeWorld } from "kubeloop/world";
   *
   * const server = createApiServer({ world: new FakeWorld() });
   * server.addWebhook("https://policy.default.svc", async (request) => {
   *   const { request: { uid } } = await request.json();
   *   return Response.json({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: true } });
   * });
   * server.close();
   * ```
   */
  addWebhook(origin: string, handler: WebhookHandler): () => void {
    return this.#state.webhooks.add(origin, handler);
  }

  /** Calls `listener` after each write, until the returned function is called. */
  onWrite(listener: (event: StoreEvent) => void): () => void {
    return this.#state.store.subscribe(undefined, listener);
  }

  /**
   * Stores an object as it is, without defaults, validation or admission, as an older server may have left it behind.
   *
   * @example A CronJob with an unreadable schedule
   * ```ts
   * import { CRONJOBS } from "kubeloop/api";
   * import { createApiServer } from "kubeloop/apiserver";
   * import { FakeWorld } from "kubeloop/world";
   * import { assertEquals } from "@std/assert";
   *
   * const server = createApiServer({ world: new FakeWorld() });
   * const jobTemplate = { spec: { template: { spec: { containers: [] } } } };
   * server.storeUnchecked(CRONJOBS, {
   *   apiVersion: "batch/v1",
   *   kind: "CronJob",
   *   metadata: { namespace: "default", name: "odd", uid: "1" },
   *   spec: { schedule: "now and then", jobTemplate },
   * });
   * const path = "/apis/batch/v1/namespaces/default/cronjobs/odd";
   * const response = await server.fetch(new Request(`http://server${path}`));
   * assertEquals((await response.json()).spec.schedule, "now and then");
   * server.close();
   * ```
   */
  storeUnchecked<T extends KubeObject>(resource: Resource<T>, object: T): void {
    const { metadata, ...rest } = structuredClone<KubeObject>(object);
    const { namespace, name = "" } = metadata ?? {};
    this.#state.store.put(groupResource(resource), joinKey(namespace, name), {
      ...rest,
      metadata: { ...metadata, name },
    });
  }

  /**
   * Ends open watches in one of three ways: as if their time were up, as if the connection broke, or with an ERROR
   * event that says they expired.
   */
  closeWatches(filter: WatchFilter = {}, how: WatchEnd = "end"): void {
    this.#watches.closeAll(filter, how);
  }

  /** Forgets the history, so that older watches and continue tokens expire. */
  compact(): void {
    this.#state.store.compact();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#definitions.close();
    this.#aggregator.close();
    this.#stopExpiry();
    this.#stopApiServices?.();
    this.#watches.closeAll();
    this.#state.store.close();
  }

  async #serve(request: Request, warnings: Set<string>, certificate?: ClientCertificate): Promise<Response> {
    if (this.#isClosed) throw new ApiError(503, "ServiceUnavailable", "the server is shutting down");
    const url = new URL(request.url);
    const user = await this.#gate.admit(request, url, certificate);
    const page = this.#pages.get(url.pathname);
    if (page) return await page(request);
    const service = serviceBehind(this.#state, url);
    if (service) return await service.fetch(request);
    const served = serveStatic(this.#state, request, url);
    if (served) return served;
    const exchange = this.#exchangeOf(request, { user, warnings });
    return await this.faults.around(
      exchange.route,
      request,
      (each) => handleResource(each === request ? exchange : this.#exchangeOf(each, { user, warnings })),
    );
  }

  #exchangeOf(request: Request, of: { readonly user: User; readonly warnings: Set<string> }): Exchange {
    const url = new URL(request.url);
    const route = routeOf(this.#state.resources, request.method, url);
    return {
      ...of,
      state: this.#state,
      route,
      request,
      query: url.searchParams,
      form: negotiate(request, url.searchParams, route),
      authenticator: this.#gate.authenticator,
      watches: this.#watches,
      tables: TABLES,
    };
  }
}

async function withoutBody({ body, status, headers }: Response): Promise<Response> {
  await body?.cancel();
  return new Response(null, { status, headers });
}

/**
 * Starts an embedded API server.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubeloop/apiserver";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const server = createApiServer({ world: new FakeWorld() });
 * const response = await server.fetch(new Request("http://server/api/v1/namespaces/default"));
 * assertEquals((await response.json()).status.phase, "Active");
 * server.close();
 * ```
 */
export function createApiServer(options: ApiServerOptions): ApiServer {
  return new ApiServer(options);
}
