import { setImmediate } from "node:timers";
import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { Connection, NoProgressError } from "../../../src/watch/connection.ts";
import { Body } from "./fakes.ts";

function setUp() {
  const world = new FakeWorld();
  const stop = new AbortController();
  const options = { clock: world.clock, signal: stop.signal, idleMs: 1000, lifetimeMs: 10_000 };
  const open = (body: Body) => Connection.open(() => Promise.resolve(body.stream), options);
  return { clock: world.clock, stop, options, open };
}

Deno.test("Connection counts as silence only the time spent waiting in next", async () => {
  const { clock, open } = setUp();
  const body = new Body("a");
  const connection = await open(body);
  assertEquals((await connection.next()).what, "bytes");
  await clock.advance(5000); // a slow reader
  const next = connection.next();
  await clock.advance(999);
  body.push("b");
  await clock.advance(0);
  assertEquals((await next).what, "bytes");
  const silent = connection.next();
  await clock.advance(1000);
  assertEquals(await silent, { what: "silent" });
  connection.close();
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("Connection: after close no timer, listener or request is left, also of a request that never answers in time", async () => {
  const { clock, options } = setUp();
  const answer = Promise.withResolvers<ReadableStream<Uint8Array>>();
  let request: AbortSignal | undefined;
  const opened = assertRejects(
    () => Connection.open((signal) => (request = signal, answer.promise), options),
    NoProgressError,
  );
  await clock.advance(1000);
  await opened;
  assertEquals(request?.aborted, true);
  const late = new Body("too late");
  answer.resolve(late.stream);
  await clock.advance(0);
  assertEquals(late.isCancelled, true);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("Connection: next resolves in any case, also when its signal aborts and the request pays no heed to it", async () => {
  const { clock, stop, options, open } = setUp();
  const opened = Connection.open(() => new Promise(() => {}), options);
  const connection = await open(new Body());
  const next = connection.next();
  const reason = new Error("enough");
  stop.abort(reason);
  assertEquals(await next, { what: "stopped" });
  await assertRejects(() => opened, Error, "enough");
  await assertRejects(() => open(new Body()), Error, "enough");
  connection.close();
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("Connection: pieces are small enough to be worked on without blocking the event loop, and it gets its turn in between", async () => {
  const { open } = setUp();
  const connection = await open(new Body("x".repeat(3_000_000)).close());
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const sizes: number[] = [];
  for (let arrival = await connection.next(); arrival.what === "bytes"; arrival = await connection.next()) {
    sizes.push(arrival.bytes.length);
  }
  isDone = true;
  connection.close();
  assertEquals(sizes.reduce((a, b) => a + b), 3_000_000);
  assertEquals(Math.max(...sizes), 256 * 1024);
  assertEquals(turns >= 2, true);
});

Deno.test("Connection: the reader decides what counts as progress: bytes that never complete an event do not", async () => {
  const { clock, open } = setUp();
  const body = new Body();
  const connection = await open(body);
  for (let ms = 0; ms < 900; ms += 300) {
    const next = connection.next();
    await clock.advance(300);
    body.push("bytes");
    await clock.advance(0);
    assertEquals((await next).what, "bytes");
  }
  const silent = connection.next();
  await clock.advance(100);
  assertEquals(await silent, { what: "silent" });
  connection.close();
});
