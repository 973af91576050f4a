import { sleep, type World } from "../../base/mod.ts";
import { groupResource } from "../../api/mod.ts";
import { ApiError } from "./errors.ts";
import type { Route, Verb } from "./routes.ts";

/** What goes wrong with which requests. Without conditions it is every request to a resource. */
export interface Fault {
  readonly verb?: Verb;
  /** `pods`, `deployments.apps`, or `pods/status` for a subresource. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** How many requests it meets; all by default. */
  readonly times?: number;
  /** How many matching requests pass unharmed first. */
  readonly after?: number;
  /** Waits before the request is served, or refused. */
  readonly delayMs?: number;
  /** Answers with this status instead of serving the request. */
  readonly status?: {
    readonly code: number;
    readonly reason?: string;
    readonly message?: string;
    readonly retryAfterSeconds?: number;
  };
  /** Loses the connection: `before` the request is served, or `after`, when only the answer is lost. */
  readonly drop?: "before" | "after";
}

/** A fault that was set; disposing of it ends it. */
export interface FaultHandle extends Disposable {
  /** Requests that it met. */
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
 * 1. The first fault that matches a request and is not used up meets it; others do not count it.
 * 2. A fault with `times` is gone once it has met that many requests.
 * 3. A dropped connection rejects like one of `fetch`: with a `TypeError`.
 *
 * @example
 * ```ts
 * import { FakeWorld } from "../../base/mod.ts";
 * import { createApiServer } from "./mod.ts";
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
  readonly #active = new Set<ActiveFault>();

  constructor(world: World) {
    this.#world = world;
  }

  add(fault: Fault): FaultHandle {
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

  /** Serves a request unless a fault meets it. */
  async around(route: Route, signal: AbortSignal, serve: () => Promise<Response>): Promise<Response> {
    const fault = this.#meet(route);
    if (!fault) return await serve();
    if (fault.delayMs !== undefined) {
      await sleep(this.#world.clock, fault.delayMs, signal);
      signal.throwIfAborted();
    }
    if (fault.drop === "before") throw connectionLost();
    if (fault.status) throw errorOf(fault.status);
    const response = await serve();
    if (fault.drop !== "after") return response;
    await response.body?.cancel();
    throw connectionLost();
  }

  #meet(route: Route): Fault | undefined {
    for (const active of this.#active) {
      const { fault } = active;
      if (!matches(fault, route)) continue;
      if (active.seen++ < (fault.after ?? 0)) continue;
      active.hits++;
      if (fault.times !== undefined && active.hits >= fault.times) this.#active.delete(active);
      return fault;
    }
    return undefined;
  }
}

function matches(fault: Fault, { verb, served, namespace, name, subresource }: Route): boolean {
  const resource = groupResource(served) + (subresource ? `/${subresource}` : "");
  return (fault.verb ?? verb) === verb && (fault.resource ?? resource) === resource &&
    (fault.namespace ?? namespace) === namespace && (fault.name ?? name) === name;
}

function errorOf({ code, reason, message, retryAfterSeconds }: NonNullable<Fault["status"]>): ApiError {
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new ApiError(code, reason ?? REASONS[code] ?? "", message ?? "injected fault", details);
}

function connectionLost(): TypeError {
  return new TypeError("error sending request: connection closed before message completed");
}
