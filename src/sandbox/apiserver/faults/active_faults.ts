import { sleep, type World } from "../../../base/mod.ts";
import type { Store } from "../../storage/mod.ts";
import { ApiError } from "../base/mod.ts";
import type { Route } from "../requests/mod.ts";
import { type Fault, isMetBy } from "./fault.ts";
import { readAt, RevisionLog, type Serve } from "./lag.ts";
import { delayed, doubled } from "./watch_effects.ts";

/** An active fault; disposing of it ends it. */
export interface FaultHandle extends Disposable {
  /** The number of affected requests. */
  readonly hits: number;
}

interface ActiveFault {
  readonly fault: Fault;
  seen: number;
  hits: number;
}

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Expired",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/**
 * Makes requests fail on purpose, for tests.
 *
 * Contract:
 * 1. A request meets the first fault that matches it and is not used up; others do not count it.
 * 2. A fault with `times` is gone once it has met that many requests.
 * 3. A dropped connection rejects like one of `fetch`: with a `TypeError`.
 * 4. A read that lags sees one state of the past, never a mixture.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubeloop/apiserver";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const server = createApiServer({ world: new FakeWorld() });
 * server.faults.add({ verb: "list", resource: "pods", times: 1, status: { code: 503 } });
 * const list = () => server.fetch(new Request("http://server/api/v1/pods"));
 * assertEquals([(await list()).status, (await list()).status], [503, 200]);
 * server.close();
 * ```
 */
export class Faults {
  readonly #world: World;
  readonly #store: Store;
  readonly #active = new Set<ActiveFault>();
  /** Kept from the first fault with a lag on. */
  #revisions: RevisionLog | undefined;

  constructor(world: World, store: Store) {
    this.#world = world;
    this.#store = store;
  }

  add(fault: Fault): FaultHandle {
    if (fault.lagMs !== undefined) this.#rememberRevisions();
    const active: ActiveFault = { fault, seen: 0, hits: 0 };
    this.#active.add(active);
    return {
      get hits() {
        return active.hits;
      },
      [Symbol.dispose]: () => void this.#active.delete(active),
    };
  }

  clear(): void {
    this.#active.clear();
  }

  /**
   * Serves a request, subject to the faults.
   *
   * @internal
   */
  async around(route: Route, request: Request, serve: Serve): Promise<Response> {
    const fault = this.#meet(route, request);
    if (!fault) return await serve(request);
    if (fault.delayMs !== undefined) {
      await sleep(this.#world.clock, fault.delayMs, request.signal);
      request.signal.throwIfAborted();
    }
    if (fault.drop === "before") throw connectionLost();
    if (fault.status) throw errorOf(fault.status);
    const response = await this.#disturb(fault, route, request, serve);
    if (fault.drop !== "after") return response;
    await response.body?.cancel();
    throw connectionLost();
  }

  async #disturb({ duplicate, lagMs }: Fault, route: Route, request: Request, serve: Serve): Promise<Response> {
    if (route.verb === "watch") {
      const response = await serve(request);
      if (!response.ok || !response.body) return response;
      let body: ReadableStream<Uint8Array> = response.body;
      if (duplicate) body = body.pipeThrough(doubled());
      if (lagMs !== undefined) body = body.pipeThrough(delayed(this.#world.clock, lagMs));
      return new Response(body, response);
    }
    if (lagMs !== undefined && (route.verb === "get" || route.verb === "list")) {
      return await readAt(this.#revisions!.revisionBefore(lagMs), request, route, serve);
    }
    if (!duplicate) return await serve(request);
    const [first, second] = await Promise.allSettled([serve(request.clone()), serve(request)]);
    if (second.status === "fulfilled") await second.value.body?.cancel();
    if (first.status === "rejected") throw first.reason;
    return first.value;
  }

  #rememberRevisions(): void {
    if (this.#revisions) return;
    const revisions = new RevisionLog(this.#world.clock, this.#store.revision);
    this.#revisions = revisions;
    this.#store.subscribe(undefined, ({ revision }) => revisions.add(revision));
  }

  #meet(route: Route, request: Request): Fault | undefined {
    const userAgent = request.headers.get("user-agent") ?? "";
    for (const active of this.#active) {
      const { fault } = active;
      if (!isMetBy(fault, route, userAgent)) continue;
      if (active.seen++ < (fault.after ?? 0)) continue;
      active.hits++;
      if (fault.times !== undefined && active.hits >= fault.times) this.#active.delete(active);
      return fault;
    }
    return undefined;
  }
}

function errorOf({ code, reason, message, retryAfterSeconds }: NonNullable<Fault["status"]>): ApiError {
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new ApiError(code, reason ?? REASONS[code] ?? "", message ?? "injected fault", details);
}

function connectionLost(): TypeError {
  return new TypeError("error sending request: connection closed before message completed");
}
