import type { World } from "../../base/mod.ts";
import { type Backend, MemoryBackend, Store } from "../storage/mod.ts";
import { answerError } from "./answers.ts";
import { bootstrap } from "./bootstrap.ts";
import { serveCustomResources } from "./custom_resources.ts";
import { ApiError, internalError } from "./errors.ts";
import { expireEvents } from "./event_expiry.ts";
import type { Exchange } from "./exchange.ts";
import { Faults } from "./faults.ts";
import { handleResource } from "./handlers/mod.ts";
import { Identities } from "./identity.ts";
import { negotiate } from "./negotiate.ts";
import type { ServerOptions } from "./environment.ts";
import type { ServerState } from "./operation.ts";
import { ResourceTable } from "./resource_table.ts";
import { routeOf } from "./routes.ts";
import { serveStatic } from "./static_paths.ts";
import { type WatchEnd, Watches, type WatchFilter } from "./watches.ts";

/** Settings of {@link createApiServer}; all but the world have defaults. */
export interface ApiServerOptions extends Partial<ServerOptions> {
  readonly world: World;
  /** Where objects are kept; in memory by default. */
  readonly backend?: Backend;
  /** Writes to one collection that a watch can start behind. */
  readonly historyLimit?: number;
  /** Whether the namespaces, priority classes and services that every cluster has are created. True by default. */
  readonly bootstraps?: boolean;
  /** How long events are kept after they were last written; an hour by default. */
  readonly eventTtlMs?: number;
}

/**
 * A small Kubernetes API server in this process: a development stand-in, not a production store.
 *
 * Contract:
 * 1. `fetch` answers as kube-apiserver v1.36 would, with errors as Status bodies; it rejects only for a dropped connection or an
 *    aborted request.
 * 2. Reading, deciding and writing are one step: no two requests interleave within it.
 * 3. After `close` every watch has ended and every request is refused with 503.
 */
export class ApiServer {
  /** Makes requests fail on purpose. */
  readonly faults: Faults;
  readonly #state: ServerState;
  readonly #identities = new Identities();
  readonly #watches = new Watches();
  readonly #stopCustomResources: () => void;
  readonly #stopExpiry: () => void;
  #isClosed = false;

  constructor(
    { world, backend, historyLimit, bootstraps = true, eventTtlMs = 3_600_000, ...options }: ApiServerOptions,
  ) {
    this.faults = new Faults(world);
    this.#state = {
      world,
      store: new Store({ backend: backend ?? new MemoryBackend(), historyLimit }),
      resources: new ResourceTable(),
      options: {
        serviceCidr: options.serviceCidr ?? "10.96.0.0/16",
        managedFields: options.managedFields ?? true,
        watchBufferEvents: options.watchBufferEvents ?? 10_000,
      },
    };
    this.#stopCustomResources = serveCustomResources(this.#state);
    this.#stopExpiry = expireEvents(this.#state, eventTtlMs);
    if (bootstraps) bootstrap(this.#state);
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#state.store.revision;
  }

  /** Watches that are open. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Serves one request; a `Transport`. */
  readonly fetch = async (request: Request): Promise<Response> => {
    request.signal.throwIfAborted();
    try {
      return await this.#serve(request);
    } catch (error) {
      if (error instanceof ApiError) return answerError(error);
      if (error instanceof TypeError && error.message.startsWith("error sending request")) throw error;
      request.signal.throwIfAborted();
      const { world } = this.#state;
      world.log.error("Request failed", { method: request.method, url: request.url, err: error });
      return answerError(internalError(error instanceof Error ? error.message : String(error)));
    }
  };

  /** Ends open watches: as at their deadline, as when connections break, or with an ERROR event saying that they expired. */
  closeWatches(filter: WatchFilter = {}, how: WatchEnd = "end"): void {
    this.#watches.closeAll(filter, how);
  }

  /** Forgets the history: watches and continue tokens from before expire. */
  compact(): void {
    this.#state.store.compact();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopCustomResources();
    this.#stopExpiry();
    this.#watches.closeAll();
    this.#state.store.close();
  }

  async #serve(request: Request): Promise<Response> {
    if (this.#isClosed) throw new ApiError(503, "ServiceUnavailable", "the server is shutting down");
    const url = new URL(request.url);
    const served = serveStatic(this.#state, request, url);
    if (served) return served;
    const route = routeOf(this.#state.resources, request.method, url);
    const exchange: Exchange = {
      state: this.#state,
      route,
      request,
      query: url.searchParams,
      form: negotiate(request.headers.get("accept")),
      user: this.#identities.userOf(this.#state, request),
      identities: this.#identities,
      watches: this.#watches,
    };
    return await this.faults.around(route, request.signal, () => handleResource(exchange));
  }
}

/**
 * Starts an embedded API server.
 *
 * @example
 * ```ts
 * import { FakeWorld } from "../../base/mod.ts";
 * import { createApiServer } from "./mod.ts";
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
