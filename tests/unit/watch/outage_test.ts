// The reflector over a real client while the API server is away for minutes.
import { assert, assertEquals } from "@std/assert";
import { PODS } from "../../../src/api/mod.ts";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { Client, ConnectionError, TokenBucket, TransportClientBuilder } from "../../../src/client/mod.ts";
import { listWatchOf, Reflector } from "../../../src/watch/mod.ts";
import { Body, bookmark, event, FakeSink } from "./fakes.ts";

const OUTAGE_MS = 10 * 60_000;
const status = (code: number, reason: string) =>
  Response.json({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason }, { status: code });

/** What a request meets while the server is away, and how long after its return the cache may need. */
const outages: Readonly<Record<string, readonly [answer: () => Promise<Response>, recoveryMs: number]>> = {
  "refuses connections": [() => Promise.reject(new ConnectionError("refused", "connection refused")), 60_000],
  "resets connections": [() => Promise.reject(new ConnectionError("reset", "connection reset by peer")), 75_000],
  "cannot be found": [() => Promise.reject(new ConnectionError("other", "no such host")), 60_000],
  "says nothing": [() => new Promise(() => {}), 250_000],
  "answers 401": [() => Promise.resolve(status(401, "Unauthorized")), 60_000],
  "answers 500": [() => Promise.resolve(status(500, "InternalError")), 60_000],
  "answers 503 from a load balancer": [() => Promise.resolve(new Response("<html>", { status: 503 })), 60_000],
  "reports a failure of its storage": [() => Promise.resolve(status(500, "etcdserver: request timed out")), 60_000],
};

for (const [what, [whileAway, recoveryMs]] of Object.entries(outages)) {
  Deno.test(`Reflector over a client: an API server that ${what} for ten minutes is asked seldom, then caught up with`, async () => {
    const world = new FakeWorld();
    const metrics = new MetricsRegistry();
    const sink = new FakeSink();
    let isAway = false;
    let requests = 0;
    let open = new Body();
    const transport = ({ url }: Request) => {
      requests++;
      if (isAway) return whileAway();
      const isNew = url.includes("sendInitialEvents");
      open = isNew ? new Body(event("ADDED", "b", 20), bookmark(20, "true")) : new Body(event("ADDED", "b", 20));
      return Promise.resolve(new Response(open.stream as ReadableStream<Uint8Array<ArrayBuffer>>));
    };
    const limiter = new TokenBucket(world.clock, { qps: 20, burst: 30 });
    const client = new Client({ world, transport, server: "https://h", userAgent: "test", limiter, metrics });
    const listWatch = listWatchOf(client, PODS);
    const reflector = new Reflector({ world, resource: PODS, listWatch, sink, metrics });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await world.clock.advance(60_000);
    sink.content.clear();

    isAway = true;
    requests = 0;
    open.fail(new ConnectionError("reset", "connection reset by peer"));
    await world.clock.advance(OUTAGE_MS);
    assert(requests >= 3 && requests <= 700, `${requests} requests in ten minutes`);
    assert(reflector.stalenessMs >= OUTAGE_MS);

    isAway = false;
    requests = 0;
    await world.clock.advance(recoveryMs);
    assertEquals([...sink.content.keys()], ["b"]);
    assert(requests <= 3, `${requests} requests to come back`);
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  });
}

/** A reflector, and another client of the same server; `answer` is what its watches get. */
class TwoClients {
  readonly world = new FakeWorld();
  readonly sink = new FakeSink();
  watches = 0;
  isReached = true;
  answer: () => Promise<Response> = () =>
    Promise.resolve(new Response(new Body(bookmark(20, "true")).stream as BodyInit));
  readonly #stop = new AbortController();
  readonly #other: Client;
  readonly #reflector: Reflector;
  readonly #running: Promise<void>;

  constructor() {
    const { world } = this;
    const transport = ({ url }: Request) => {
      if (!url.includes("watch=true") && !url.includes("limit=")) {
        return this.isReached ? Promise.resolve(Response.json({ metadata: { name: "p" } })) : refuse();
      }
      this.watches++;
      return this.answer();
    };
    const clients = new TransportClientBuilder({ world, program: "test", transport, server: "https://h", qps: -1 });
    this.#other = clients.client("other");
    const listWatch = listWatchOf(clients.client("watching"), PODS);
    this.#reflector = new Reflector({ world, resource: PODS, listWatch, sink: this.sink });
    this.#running = this.#reflector.run(this.#stop.signal);
  }

  get state(): string {
    return this.#reflector.state.name;
  }

  pass(ms: number): Promise<void> {
    return this.world.clock.advance(ms);
  }

  /** Has the other client send a request. */
  async ask(): Promise<void> {
    await this.#other.request("GET", "/readyz").catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    assertEquals(this.world.clock.pendingTimers, 0);
  }
}

const refuse = () => Promise.reject(new ConnectionError("refused", "connection refused"));

Deno.test("Reflector: a backoff because the server could not be reached ends within a second of another request's success", async () => {
  await using two = new TwoClients();
  const wellAnswer = two.answer;
  two.answer = refuse;
  await two.pass(300_000);
  const { watches } = two;
  two.answer = wellAnswer;
  await two.ask();
  assertEquals(two.watches, watches, "not at the same moment as all others");
  await two.pass(1_000);
  assertEquals([two.watches, two.sink.calls.length], [watches + 1, 1]);
});

Deno.test("Reflector: a backoff because the server could not be reached ends within a second of another request's success, also where it gave no answer", async () => {
  await using two = new TwoClients();
  const wellAnswer = two.answer;
  two.answer = () => new Promise(() => {});
  two.isReached = false;
  await two.pass(300_000);
  await two.ask();
  for (let second = 0; two.state !== "backing-off" && second < 600; second++) await two.pass(1_000);
  assertEquals(two.state, "backing-off");
  const { watches } = two;
  two.answer = wellAnswer;
  two.isReached = true;
  await two.ask();
  await two.pass(1_000);
  assertEquals(two.watches, watches + 1);
});

Deno.test("Reflector: a backoff because the server could not be reached ends within a second of another request's success, not what another answer than none has begun", async () => {
  for (const [code, reason] of [[429, "TooManyRequests"], [500, "InternalError"], [403, "Forbidden"]] as const) {
    await using two = new TwoClients();
    two.answer = () => Promise.resolve(status(code, reason));
    await two.pass(300_000);
    two.isReached = false;
    await two.ask();
    const { watches } = two;
    two.isReached = true;
    await two.ask();
    await two.pass(1_000);
    assertEquals(two.watches, watches, reason);
  }
});

Deno.test("Reflector: a backoff because the server could not be reached ends within a second of another request's success, as long as requests have not followed each other at once too often", async () => {
  await using two = new TwoClients();
  two.answer = refuse;
  for (let second = 0; second < 3600; second++) {
    await two.pass(1_000);
    await two.ask();
  }
  assert(two.watches <= 600, `${two.watches} requests in an hour`);
});

const FORBIDDEN = () => Promise.resolve(status(403, "Forbidden"));

Deno.test("Reflector: the first error from a server that was out of reach starts the backoff over, with the same limit: a server that begins", async () => {
  await using two = new TwoClients();
  const wellAnswer = two.answer;
  two.answer = refuse;
  await two.pass(300_000);
  two.answer = FORBIDDEN; // it is reached before it knows anybody's rights
  await two.ask();
  await two.pass(3_000);
  const { watches } = two;
  two.answer = wellAnswer;
  await two.pass(7_000);
  assertEquals([two.watches > watches, two.sink.calls.length], [true, 1]);
});

Deno.test("Reflector: the first error from a server that was out of reach starts the backoff over, with the same limit", async () => {
  await using two = new TwoClients();
  two.answer = () => (two.watches % 2 === 0 ? refuse : FORBIDDEN)();
  for (let second = 0; second < 3600; second++) {
    await two.pass(1_000);
    await two.ask();
  }
  assert(two.watches <= 1_800, `${two.watches} requests in an hour`);
});
