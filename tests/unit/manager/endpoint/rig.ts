/** An endpoint on a real socket, whose API server is a function that the test sees through. */
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { Client } from "../../../../src/client/mod.ts";
import { Health, HealthRecord, managerFlags, managerOptions, serveEndpoint } from "../../../../src/manager/mod.ts";
import { answer, type Ask, type Knowledge, type Question } from "../../../../src/manager/questions.ts";
import { Authority } from "../../../controlplane/pki.ts";
import { freePort } from "../../../controlplane/process.ts";
import { exchange, type RawAnswer, rawRequest } from "../../../controlplane/raw_request.ts";

/** A request that the endpoint sent to its API server. */
export interface Review {
  readonly kind: string;
  readonly spec: Record<string, unknown>;
}

export interface RigOptions {
  readonly flags?: readonly string[];
  readonly files?: Record<string, string>;
  /** Whether there is an API server to ask. */
  readonly hasClients?: boolean;
  /** Whether the API server refuses to show the ConfigMap. */
  readonly isLookupForbidden?: boolean;
  /** Hears the path of each request to the API server. */
  readonly onRequest?: (path: string) => void;
}

/** What the API server knows: the token `good` is jane's, and jane may get /metrics. */
export class EndpointRig implements AsyncDisposable {
  readonly world: FakeWorld;
  readonly metrics = new MetricsRegistry();
  readonly record = new HealthRecord();
  readonly health = new Health((name, holds) => this.record.observe(name, holds));
  /** What the threads of the controllers answer from. */
  threads: Knowledge[] = [];
  readonly reviews: Review[] = [];
  readonly verbosities: number[] = [];
  /** Whether another thread never answers. */
  isThreadBlocked = false;
  published: Record<string, string> | undefined = {};
  readonly #authority: Authority;
  #port = 0;
  #close: () => Promise<void> = () => Promise.resolve();

  private constructor(authority: Authority, world: FakeWorld) {
    this.#authority = authority;
    this.world = world;
  }

  static async start(
    { flags = [], files = {}, hasClients = true, isLookupForbidden, onRequest }: RigOptions = {},
  ): Promise<EndpointRig> {
    const authority = await Authority.create("serving");
    const { cert, key } = await authority.serving(["localhost"], ["127.0.0.1"]);
    const world = new FakeWorld({
      startWallMs: new Date().getTime(),
      files: { "/tls.crt": cert, "/tls.key": key, ...files },
    });
    const rig = new EndpointRig(authority, world);
    if (isLookupForbidden) rig.published = undefined;
    const client = hasClients ? rig.#client(onRequest) : undefined;
    const endpoint = await serveEndpoint({
      world,
      options: managerOptions(managerFlags([
        "--bind-address=127.0.0.1",
        `--secure-port=${freePort()}`,
        "--tls-cert-file=/tls.crt",
        "--tls-private-key-file=/tls.key",
        ...flags,
      ])),
      health: rig.health,
      record: rig.record,
      metrics: rig.metrics,
      ask: rig.#ask,
      setVerbosity: (verbosity) => rig.verbosities.push(verbosity),
      authentication: client,
      authorization: client,
    });
    rig.#port = endpoint!.port;
    rig.#close = async () => await endpoint![Symbol.asyncDispose]();
    return rig;
  }

  /** Sends a request line as it stands and gives the answer's head. */
  async askRaw(line: string, token?: string, headers?: readonly string[]): Promise<RawAnswer> {
    await this.#passTime();
    return await rawRequest({ port: this.#port, ca: this.#authority.cert }, { line, token, headers });
  }

  /** Sends a request and leaves without waiting for the answer. */
  async askAndLeave(line: string, token: string, headers: readonly string[]): Promise<void> {
    const [hostname, port] = ["localhost", this.#port];
    using connection = await Deno.connectTls({ hostname, port, caCerts: [this.#authority.cert] });
    const lines = [`${line} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${token}`, ...headers, "", ""];
    await connection.write(new TextEncoder().encode(lines.join("\r\n")));
  }

  /** Sends a request; as a member of system:masters unless told otherwise. */
  async ask(
    path: string,
    { token = "root", certificate, ...init }: RequestInit & {
      readonly token?: string;
      readonly certificate?: { readonly cert: string; readonly key: string };
    } = {},
  ): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
    await this.#passTime();
    using client = Deno.createHttpClient({ caCerts: [this.#authority.cert], ...certificate });
    const headers = new Headers(init.headers);
    if (token) headers.set("authorization", `Bearer ${token}`);
    const response = await fetch(`https://127.0.0.1:${this.#port}${path}`, { ...init, headers, client });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Sends requests one behind the other on each of some connections; the counts of their answers by status. */
  async flood(
    path: string,
    { connections, requests, from }: { readonly connections: number; readonly requests: number; readonly from: string },
  ): Promise<Record<string, number>> {
    const ask = (i: number) =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${i === requests - 1 ? "Connection: close\r\n" : ""}\r\n`;
    const lines = Array.from({ length: requests }, (_, i) => ask(i)).join("");
    const server = { port: this.#port, ca: this.#authority.cert };
    const answers = await Promise.all(Array.from({ length: connections }, () => exchange(server, lines, from)));
    const statuses = answers.flatMap((text) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status));
    return Object.fromEntries(
      [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
    );
  }

  /** The value of one of the endpoint's own metrics. */
  metric(line: string): number {
    const found = this.metrics.render().split("\n").find((candidate) => candidate.startsWith(`${line} `));
    return Number(found?.split(" ").at(-1) ?? 0);
  }

  /** Between two requests, as it does for people: the endpoint bounds how many it takes at once. */
  async #passTime(): Promise<void> {
    await this.world.clock.advance(20);
  }

  readonly #ask: Ask = <Q extends Question>(question: Q) => {
    if (this.isThreadBlocked) return new Promise<never>(() => {});
    return Promise.all(this.threads.map((knowledge) => answer(question, knowledge)));
  };

  #client(onRequest?: (path: string) => void): Client {
    const transport = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      onRequest?.(pathname);
      if (request.method === "GET") {
        return this.published
          ? Response.json({ apiVersion: "v1", kind: "ConfigMap", data: this.published })
          : Response.json({ kind: "Status", status: "Failure", code: 403, reason: "Forbidden" }, { status: 403 });
      }
      const { spec } = await request.json();
      const kind = pathname.split("/").at(-1)!;
      this.reviews.push({ kind, spec });
      return Response.json({ spec, status: kind === "tokenreviews" ? tokenStatus(spec.token) : accessStatus(spec) });
    };
    return new Client({ world: this.world, transport, server: "http://api", userAgent: "test" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What is still being answered, after a failure, is given up after five seconds.
    await Promise.all([this.#close(), this.world.clock.advance(6000)]);
  }
}

function tokenStatus(token: string): unknown {
  const users: Record<string, unknown> = {
    root: { username: "root", groups: ["system:masters"] },
    good: { username: "jane", groups: ["readers"] },
  };
  return users[token] ? { authenticated: true, user: users[token] } : { authenticated: false };
}

function accessStatus({ user, nonResourceAttributes: { path, verb } }: {
  user: string;
  nonResourceAttributes: { path: string; verb: string };
}): unknown {
  return { allowed: user === "jane" && path === "/metrics" && verb === "get" };
}
