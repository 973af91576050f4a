import { assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { FakeClock, FakeWorld, nextTurn, orAborted, unlessAborted } from "../../../src/base/mod.ts";
import { PODS } from "../../../src/api/mod.ts";
import { ConnectionError, connectionFailureOf, Deadline, TokenBucket } from "../../../src/client/mod.ts";
import { countListeners } from "../base/listeners.ts";
import { outcomeOf, testClient } from "./test_server.ts";

const ref = { namespace: "x", name: "a" };

Deno.test("RequestSender: every attempt takes a token of the limiter, except those of a watch: 30 of 100 at once and the rest over 3.5 s", async () => {
  const clock = new FakeClock();
  const world = Object.assign(new FakeWorld(), { clock });
  const limiter = new TokenBucket(clock, { qps: 20, burst: 30 });
  const { client, seen } = testClient([() => Response.json({})], { world, limiter });
  const all = Promise.all(Array.from({ length: 100 }, () => client.get(PODS, ref)));
  await clock.advance(0);
  assertEquals(seen.length, 30);
  await client.open(PODS, { watch: true });
  assertEquals(seen.length, 31);
  await clock.advance(3450);
  assertEquals(seen.length, 31 + 69);
  await clock.advance(50);
  assertEquals(seen.length, 31 + 70);
  await all;
});

Deno.test("TokenBucket: a full bucket lets burst requests pass at once; after that one passes every 1/qps seconds, in order of asking", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket(clock, { qps: 10, burst: 3 });
  const waits = (count: number) => Array.from({ length: count }, () => bucket.reserveMs());
  assertEquals(waits(5), [0, 0, 0, 100, 200]);
  await clock.advance(60_000);
  assertEquals(waits(5), [0, 0, 0, 100, 200], "it is full again, and no fuller");
});

Deno.test("TokenBucket with a negative qps never delays", () => {
  const bucket = new TokenBucket(new FakeClock(), { qps: -1, burst: 0 });
  assertEquals(Array.from({ length: 100 }, () => bucket.reserveMs()).every((ms) => ms === 0), true);
});

Deno.test("TokenBucket refuses a rate at which nothing could ever pass", () => {
  assertThrows(() => new TokenBucket(new FakeClock(), { qps: 0, burst: 1 }), RangeError, "qps must not be 0");
  assertThrows(() => new TokenBucket(new FakeClock(), { qps: 1, burst: 0 }), RangeError, "burst must be at least 1");
});

Deno.test("TokenBucket: a token given back shortens the wait of those who ask later", () => {
  const bucket = new TokenBucket(new FakeClock(), { qps: 10, burst: 1 });
  assertEquals([bucket.reserveMs(), bucket.reserveMs(), bucket.reserveMs()], [0, 100, 200]);
  bucket.release();
  assertEquals(bucket.reserveMs(), 200);
});

Deno.test("Client gives its token back when the signal aborts while it waits", async () => {
  const world = new FakeWorld();
  const limiter = new TokenBucket(world.clock, { qps: 1, burst: 1 });
  const { client, seen } = testClient([() => Response.json({})], { world, limiter });
  await client.get(PODS, ref);
  const stop = new AbortController();
  const got = outcomeOf(client.get(PODS, ref, { signal: stop.signal }));
  await world.clock.advance(500);
  stop.abort(new Error("stop"));
  await world.clock.advance(0);
  assertEquals((got.error as Error).message, "stop");
  assertEquals([seen.length, Math.round(limiter.reserveMs())], [1, 500]);
});

Deno.test("Client says in the log when requests wait for the limiter", async () => {
  const world = new FakeWorld();
  let delayMs = 0;
  const limiter = { reserveMs: () => delayMs, release: () => {} };
  const { client } = testClient([() => Response.json({})], { world, limiter });
  for (delayMs of [50, 51, 1500, 1500, 11_000]) {
    const got = outcomeOf(client.get(PODS, ref));
    await world.clock.advance(delayMs);
    assertEquals(got.isSettled, true);
  }
  assertEquals(world.log.lines.map(({ verbosity, fields }) => [verbosity, fields.delay]), [
    [3, "51ms"],
    [0, "1.5s"],
    [2, "1.5s"],
    [0, "11s"],
  ]);
  assertEquals(world.log.lines[0].fields.reason, "client-side throttling, not priority and fairness");
});

/** A server that never answers, but hears the signal. */
const silent = (_: unknown, signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

Deno.test("Client ends a request that has no complete answer in time, and tells the server the time", async () => {
  const { world, client, seen } = testClient([silent], { timeoutMs: 5000 });
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(4999);
  assertEquals(got.isSettled, false);
  await world.clock.advance(1);
  assertEquals(connectionFailureOf(got.error), "timeout");
  assertEquals(seen[0].path, "/api/v1/namespaces/x/pods/a?timeout=5s");
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("Client ends a body that does not come in time", async () => {
  const stuck = (_: unknown, signal: AbortSignal) =>
    new Response(
      new ReadableStream({ start: (c) => signal.addEventListener("abort", () => c.error(signal.reason)) }),
    );
  const { world, client } = testClient([stuck], { timeoutMs: 5000 });
  const got = outcomeOf(client.list(PODS));
  await world.clock.advance(5000);
  assertInstanceOf(got.error, ConnectionError);
});

Deno.test("Client does not apply its timeout to a watch, unless the watch asks for one", async () => {
  const { world, client, seen } = testClient([() => new Response("{}")], { timeoutMs: 5000 });
  await client.open(PODS, { watch: true });
  assertEquals(world.clock.pendingTimers, 0);
  const stream = await client.open(PODS, { watch: true }, { timeoutMs: 9000 });
  assertEquals(world.clock.pendingTimers, 1);
  assertEquals(await new Response(stream).text(), "{}");
  assertEquals(world.clock.pendingTimers, 0);
  assertEquals(seen[1].path, "/api/v1/pods?timeout=9s&watch=true");
});

Deno.test("Client keeps a timeout that the query names itself", async () => {
  const { client, seen } = testClient([() => new Response("{}")]);
  const stream = await client.open(PODS, { watch: true, timeout: "5m42s" }, { timeoutMs: 342_000 });
  await stream.cancel();
  assertEquals(seen[0].path, "/api/v1/pods?timeout=5m42s&watch=true");
});

Deno.test("Client ends a stream with a timeout when time is up, and leaves no timer when it is cancelled", async () => {
  const stuck = (_: unknown, signal: AbortSignal) =>
    new Response(
      new ReadableStream({ start: (c) => signal.addEventListener("abort", () => c.error(signal.reason)) }),
    );
  const { world, client } = testClient([stuck]);
  const stream = await client.open(PODS, { watch: true }, { timeoutMs: 9000 });
  const read = outcomeOf(stream.getReader().read());
  await world.clock.advance(9000);
  assertInstanceOf(read.error, ConnectionError);
  const second = await client.open(PODS, { watch: true }, { timeoutMs: 9000 });
  await second.cancel();
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("Client: an aborted signal ends the request, and the promise rejects with the signal's reason, also for a signal aborted before", async () => {
  const { client, seen } = testClient([silent], { timeoutMs: 5000 });
  const stop = new AbortController();
  const got = outcomeOf(client.get(PODS, ref, { signal: stop.signal }));
  stop.abort(new Error("stop"));
  const late = outcomeOf(client.get(PODS, ref, { signal: stop.signal }));
  await new FakeClock().advance(0);
  assertEquals([(got.error as Error).message, (late.error as Error).message], ["stop", "stop"]);
  assertEquals(seen.length <= 2, true);
});

Deno.test("Deadline follows its parent, and lets go of it when closed", () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const kept = new Deadline(clock, { signal: parent.signal, timeoutMs: 1000, reason: () => new Error("late") });
  const closed = new Deadline(clock, { signal: parent.signal, timeoutMs: 1000, reason: () => new Error("late") });
  closed[Symbol.dispose]();
  parent.abort("gone");
  assertEquals([kept.signal.reason, closed.signal.aborted], ["gone", false]);
  kept[Symbol.dispose]();
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("unlessAborted brings what the promise does, or the signal's reason if that aborts first", async () => {
  const never = new Promise<string>(() => {});
  const { signal } = new AbortController();
  assertEquals(await unlessAborted(Promise.resolve("here"), signal), "here");
  await assertRejects(() => unlessAborted(Promise.reject(new Error("oops")), signal), Error, "oops");
  const stop = new AbortController();
  const listeners = countListeners(stop.signal);
  const waiting = unlessAborted(never, stop.signal);
  stop.abort(new Error("stopped"));
  await assertRejects(() => waiting, Error, "stopped");
  await assertRejects(() => unlessAborted(Promise.resolve("late"), stop.signal), Error, "stopped");
  await assertRejects(() => unlessAborted(Promise.reject(new Error("late")), stop.signal), Error, "stopped");
  assertEquals(listeners.count, 0);
});

Deno.test("orAborted brings what the promise does, or the fallback if the signal aborts first", async () => {
  const stop = new AbortController();
  const listeners = countListeners(stop.signal);
  assertEquals(await orAborted(Promise.resolve("here"), stop.signal, "gone"), "here");
  await assertRejects(() => orAborted(Promise.reject(new Error("oops")), stop.signal, "gone"), Error, "oops");
  assertEquals(listeners.count, 0);
  const { promise, reject } = Promise.withResolvers<string>();
  const waiting = orAborted(promise, stop.signal, "gone");
  stop.abort();
  assertEquals(await waiting, "gone");
  reject(new Error("late"));
  assertEquals(await orAborted(promise, stop.signal, "gone"), "gone");
});

Deno.test("Client: large objects that are created at once after a quiet time are serialised over several turns of the event loop, in order", async () => {
  let [turn, nowMs] = [0, 1000];
  const clock = Object.assign(new FakeClock(), {
    monotonicMs: () => nowMs,
    nextTurn: () => nextTurn().then(() => void turn++),
  });
  const { client, seen } = testClient([() => Response.json({})], { world: Object.assign(new FakeWorld(), { clock }) });
  nowMs += 60_000;
  const countOfTurn = new Map<number, number>();
  const names = Array.from({ length: 12 }, (_, i) => `pod-${i}`);
  const metadata = (name: string) => ({
    namespace: "x",
    name,
    // Taking 3 ms to be written down.
    get annotations() {
      nowMs += 3;
      countOfTurn.set(turn, (countOfTurn.get(turn) ?? 0) + 1);
      return {};
    },
  });
  await Promise.all(names.map((name) => client.create(PODS, { metadata: metadata(name) })));
  assertEquals([...countOfTurn.values()], [3, 3, 3, 3]);
  assertEquals(seen.map(({ text }) => JSON.parse(text).metadata.name), names);
});
