/**
 * The part of the Hetzner Cloud API that a cloud controller manager uses, as a function from Request to Response over a project in
 * memory: actions take time and lock what they change, names are unique, lists have pages, a rate limit refills, and a test can
 * have anything go wrong.
 */
import { BALANCER_ACTIONS, typeCalled } from "./balancer_actions.ts";
import { invalid, notFound, Refusal } from "./refusal.ts";
import { type PendingAction, Project, type Thing } from "./state.ts";

/** A request as it came, for tests. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
}

export interface EmulatorOptions {
  /** What time it is, in milliseconds. */
  readonly nowMs: () => number;
  readonly token?: string;
  /** How long an action takes. */
  readonly actionMs?: number;
  /** Requests an hour; there is no limit if absent. */
  readonly limit?: number;
}

export class HcloudEmulator {
  readonly project = new Project();
  /** All requests, in order. */
  readonly seen: Seen[] = [];
  /** Answers instead, if it returns something. */
  interfere: ((request: Seen) => Response | Promise<Response> | undefined) | undefined;
  /** Has actions fail. */
  failAction: ((command: string) => { code: string; message: string } | undefined) | undefined;
  token: string;
  readonly #options: EmulatorOptions;
  #remaining: number;
  #refilledAtMs = 0;

  constructor(options: EmulatorOptions) {
    this.#options = options;
    this.token = options.token ?? "t".repeat(64);
    this.#remaining = options.limit ?? 0;
    this.#refilledAtMs = options.nowMs();
  }

  /** Requests that change something. */
  get writes(): Seen[] {
    return this.seen.filter(({ method }) => method !== "GET");
  }

  readonly handle = async (request: Request): Promise<Response> => {
    const { pathname, search, searchParams } = new URL(request.url);
    const path = pathname.replace(/^\/v1/, "");
    const text = await request.text();
    const seen = { method: request.method, path, query: search, body: text === "" ? undefined : JSON.parse(text) };
    this.seen.push(seen);
    const interference = await this.interfere?.(seen);
    if (interference) return interference;
    const headers = this.#takeFromLimit();
    try {
      if (!headers) throw new Refusal(429, "rate_limit_exceeded", "limit of requests per hour reached");
      if (request.headers.get("authorization") !== `Bearer ${this.token}`) {
        throw new Refusal(401, "unauthorized", "unable to authenticate");
      }
      this.#settle();
      const [status, body] = this.#answer(request.method, path.split("/").slice(1), searchParams, seen.body ?? {});
      return status === 204 ? new Response(null, { status, headers }) : Response.json(body, { status, headers });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      return Response.json({ error: { code, message } }, { status, headers: headers ?? this.#limitHeaders() });
    }
  };

  #answer(
    method: string,
    [kind, idText, actions, action]: string[],
    query: URLSearchParams,
    body: Thing,
  ): [number, unknown] {
    const { project } = this;
    const things: Readonly<Record<string, Map<number, Thing>>> = {
      servers: project.servers,
      networks: project.networks,
      load_balancers: project.balancers,
      certificates: project.certificates,
      actions: project.actions,
      load_balancer_types: new Map(project.types.map((type) => [type.id, type])),
      locations: new Map([[1, { id: 1, name: "fsn1", network_zone: "eu-central" }]]),
    };
    const map = things[kind];
    if (!map) throw notFound(kind);
    const single = kind.replace(/s$/, "");
    if (idText === undefined) {
      if (method === "GET") return [200, page(kind, [...map.values()], query)];
      if (method === "POST" && kind === "load_balancers") return this.#createBalancer(body);
      if (method === "POST" && kind === "certificates") return this.#createCertificate(body);
      throw notFound("route");
    }
    const thing = map.get(Number(idText));
    if (!thing) throw notFound(`${single} with ID '${idText}'`);
    if (actions === "actions" && method === "POST") return this.#act(kind, thing, action, body);
    if (method === "GET") return [200, { [single]: thing }];
    if (kind !== "load_balancers") throw notFound("route");
    if (method === "PUT") return this.#updateBalancer(thing, body);
    if (thing.protection.delete) throw new Refusal(423, "protected", "load balancer is protected");
    map.delete(thing.id);
    return [204, null];
  }

  #createBalancer(body: Thing): [number, unknown] {
    const { project } = this;
    this.#checkName(project.balancers, body.name);
    if (!body.location === !body.network_zone) throw invalid("location or network_zone");
    const balancer = project.addBalancer(body.name, {
      labels: body.labels ?? {},
      load_balancer_type: typeCalled(project, body.load_balancer_type),
      location: { id: 1, name: body.location ?? "fsn1" },
      algorithm: body.algorithm ?? { type: "round_robin" },
    });
    balancer.public_net.enabled = body.public_interface ?? true;
    const action = this.#begin("create_load_balancer", `load_balancers/${balancer.id}`, () => {});
    return [201, { load_balancer: balancer, action }];
  }

  #createCertificate(body: Thing): [number, unknown] {
    this.#checkName(this.project.certificates, body.name);
    if (body.type !== "managed" || !body.domain_names?.length) throw invalid("domain_names");
    const { name, type, domain_names, labels } = body;
    const certificate = this.project.addCertificate(name, { type, domain_names, labels });
    return [201, {
      certificate,
      action: this.#begin("create_certificate", `certificates/${certificate.id}`, () => {}),
    }];
  }

  #updateBalancer(balancer: Thing, { name, labels }: Thing): [number, unknown] {
    if (name !== undefined && name !== balancer.name) {
      this.#checkName(this.project.balancers, name);
      balancer.name = name;
    }
    if (labels) balancer.labels = labels;
    return [200, { load_balancer: balancer }];
  }

  #checkName(things: ReadonlyMap<number, Thing>, name: unknown): void {
    if (typeof name !== "string" || !/^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,62})$/.test(name)) throw invalid("name");
    if ([...things.values()].some((thing) => thing.name === name)) {
      throw new Refusal(409, "uniqueness_error", "name is already used");
    }
  }

  #act(kind: string, thing: Thing, action: string, body: Thing): [number, unknown] {
    const lock = `${kind}/${thing.id}`;
    if (this.project.pending.some((pending) => pending.lock === lock)) {
      throw new Refusal(423, "locked", "cannot perform operation because another action is running");
    }
    const effect = kind === "networks"
      ? networkAction(thing, action, body)
      : kind === "load_balancers" && Object.hasOwn(BALANCER_ACTIONS, action)
      ? BALANCER_ACTIONS[action](this.project, thing, body)
      : undefined;
    if (!effect) throw notFound("action");
    return [201, { action: this.#begin(action, lock, effect) }];
  }

  #begin(command: string, lock: string, effect: () => void): Thing {
    const { actionMs = 0, nowMs } = this.#options;
    const { project } = this;
    const action: Thing = { id: project.nextId(), command, status: "running", progress: 0, error: null, resources: [] };
    project.actions.set(action.id, action);
    project.pending.push({ action, lock, effect, doneAtMs: nowMs() + actionMs, error: this.failAction?.(command) });
    this.#settle();
    return action;
  }

  #settle(): void {
    const nowMs = this.#options.nowMs();
    const isDone = ({ doneAtMs }: PendingAction) => doneAtMs <= nowMs;
    for (const { action, effect, error } of this.project.pending.filter(isDone)) {
      if (error) Object.assign(action, { status: "error", error });
      else {
        effect();
        Object.assign(action, { status: "success", progress: 100 });
      }
    }
    this.project.pending = this.project.pending.filter((pending) => !isDone(pending));
  }

  #takeFromLimit(): Record<string, string> | undefined {
    const { limit, nowMs } = this.#options;
    if (limit === undefined) return {};
    const perMs = limit / 3_600_000;
    const now = nowMs();
    this.#remaining = Math.min(limit, this.#remaining + (now - this.#refilledAtMs) * perMs);
    this.#refilledAtMs = now;
    if (this.#remaining < 1) return undefined;
    this.#remaining--;
    return this.#limitHeaders();
  }

  #limitHeaders(): Record<string, string> {
    const { limit = 0, nowMs } = this.#options;
    const fullAtMs = nowMs() + (limit - this.#remaining) * 3_600_000 / limit;
    return {
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": String(Math.floor(this.#remaining)),
      "RateLimit-Reset": String(Math.ceil(fullAtMs / 1000)),
    };
  }
}

function networkAction(network: Thing, action: string, { destination, gateway }: Thing): (() => void) | undefined {
  const isIt = (route: Thing) => route.destination === destination && route.gateway === gateway;
  switch (action) {
    case "add_route":
      if (network.routes.some((route: Thing) => route.destination === destination)) throw invalid("destination");
      return () => network.routes.push({ destination, gateway });
    case "delete_route":
      if (!network.routes.some(isIt)) throw notFound("route");
      return () => network.routes = network.routes.filter((route: Thing) => !isIt(route));
  }
}

function page(kind: string, things: readonly Thing[], query: URLSearchParams): Thing {
  const name = query.get("name");
  const [key, value] = query.get("label_selector")?.split("=") ?? [];
  const ids = query.getAll("id").map(Number);
  const chosen = things.filter((thing) =>
    (name === null || thing.name === name) && (key === undefined || thing.labels?.[key] === value) &&
    (ids.length === 0 || ids.includes(thing.id))
  );
  const number = Number(query.get("page") ?? 1);
  const perPage = Math.min(50, Number(query.get("per_page") ?? 25));
  const last = Math.max(1, Math.ceil(chosen.length / perPage));
  return {
    [kind]: chosen.slice((number - 1) * perPage, number * perPage),
    meta: {
      pagination: {
        page: number,
        per_page: perPage,
        previous_page: number > 1 ? number - 1 : null,
        next_page: number < last ? number + 1 : null,
        last_page: last,
        total_entries: chosen.length,
      },
    },
  };
}
