// The reflector over a real client while the API server is away for minutes.
import { assert, assertEquals } from "@std/assert";
import { PODS } from "../../../src/api/mod.ts";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { Client, ConnectionError, TokenBucket } from "../../../src/client/mod.ts";
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
