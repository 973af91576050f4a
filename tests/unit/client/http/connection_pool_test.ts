import { assertEquals, assertRejects } from "@std/assert";
import { Deferred } from "../../../../src/base/mod.ts";
import { PODS } from "../../../../src/api/mod.ts";
import { Client, ConnectionError, connectionFailureOf, type Socket, TokenBucket } from "../../../../src/client/mod.ts";
import { countListeners } from "../../base/listeners.ts";
import { FakeSocket, fakeTransport, ORIGIN, response } from "../test_socket.ts";
import { outcomeOf } from "../test_server.ts";

/** A transport with one idle connection that has served a request. */
async function withIdle(options: Parameters<typeof fakeTransport>[0] = {}) {
  const kit = fakeTransport(options);
  const sent = kit.send("GET");
  await kit.world.clock.advance(0);
  kit.sockets[0].push(response("x"));
  await (await sent).text();
  return kit;
}

Deno.test("httpTransport: a request that failed on a kept connection is sent once more on a new one: a GET without a byte of an answer", async () => {
  for (const act of ["end", "reset"] as const) {
    const { world, transport, sockets, send } = await withIdle();
    const sent = send("GET", "/again").then((answer) => answer.text());
    await world.clock.advance(0);
    sockets[0][act]();
    await world.clock.advance(0);
    assertEquals(sockets.length, 2);
    sockets[1].push(response("y"));
    assertEquals(await sent, "y");
    transport.close();
  }
});

Deno.test("httpTransport: a request that failed on a kept connection is sent once more on a new one: never a POST, PUT, PATCH or DELETE that it may have acted on", async () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const { world, transport, sockets, send } = await withIdle();
    const sent = outcomeOf(send(method, "/", { body: "{}" }));
    await world.clock.advance(0);
    sockets[0].reset();
    await world.clock.advance(0);
    assertEquals([connectionFailureOf(sent.error), sockets.length], ["reset", 1]);
    transport.close();
  }
});

Deno.test("httpTransport: a request that failed on a kept connection is sent once more on a new one: a POST that was not handed over", async () => {
  const { world, transport, sockets, send } = await withIdle();
  sockets[0].writeFailure = new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
  const sent = send("POST", "/", { body: "{}" }).then((answer) => answer.text());
  await world.clock.advance(0);
  sockets[1].push(response("y"));
  assertEquals(await sent, "y");
  transport.close();
});

Deno.test("httpTransport: a request that failed on a kept connection is sent once more on a new one: never a GET after a byte of the answer, nor one on a new connection", async () => {
  const kept = await withIdle();
  const first = outcomeOf(kept.send("GET"));
  await kept.world.clock.advance(0);
  kept.sockets[0].push("HTTP").reset();
  await kept.world.clock.advance(0);
  assertEquals([connectionFailureOf(first.error), kept.sockets.length], ["reset", 1]);
  kept.transport.close();

  const fresh = fakeTransport();
  const second = outcomeOf(fresh.send("GET"));
  await fresh.world.clock.advance(0);
  fresh.sockets[0].end();
  await fresh.world.clock.advance(0);
  assertEquals([connectionFailureOf(second.error), fresh.sockets.length], ["eof", 1]);
  fresh.transport.close();
});

Deno.test("ConnectionPool: an idle connection is closed after idleTimeoutMs, or at once if there are maxIdle already", async () => {
  const { world, transport, sockets } = await withIdle();
  await world.clock.advance(55_000);
  assertEquals(sockets[0].isClosed, false);
  await world.clock.advance(10_000);
  assertEquals([sockets[0].isClosed, transport.counts().idle, world.clock.pendingTimers], [true, 0, 0]);
});

Deno.test("ConnectionPool: a connection whose response is awaited fails after deadPeerTimeoutMs without a byte; streams may be silent", async () => {
  const { world, transport, sockets, send } = fakeTransport({ deadPeerTimeoutMs: 60_000 });
  const silent = outcomeOf(send("GET"));
  const half = send("GET");
  const stream = send("GET");
  await world.clock.advance(0);
  sockets[1].push("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
  sockets[2].push("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
  const text = outcomeOf((await half).text());
  const reader = (await stream).stream().getReader();
  await reader.read();
  const next = outcomeOf(reader.read());
  await world.clock.advance(70_000);
  assertEquals([connectionFailureOf(silent.error), connectionFailureOf(text.error)], ["timeout", "timeout"]);
  assertEquals([next.isSettled, sockets.map((socket) => socket.isClosed)], [false, [true, true, false]]);
  await reader.cancel();
  transport.close();
});

Deno.test("ConnectionPool: requests are served in the order in which they came; there are never more than maxConnections; further requests wait", async () => {
  const { world, transport, sockets, send } = fakeTransport({ maxConnections: 2 });
  const done: string[] = [];
  for (const path of ["/1", "/2", "/3", "/4"]) {
    void send("GET", path).then((answer) => answer.text()).then(() => done.push(path));
  }
  await world.clock.advance(0);
  assertEquals([sockets.length, transport.counts()], [2, { active: 2, idle: 0, waiting: 2 }]);
  sockets[0].push(response("x"));
  await world.clock.advance(0);
  assertEquals(sockets[0].written.includes("GET /3"), true);
  sockets[1].push(response("x"));
  await world.clock.advance(0);
  sockets.forEach((socket) => socket.push(response("x")));
  await world.clock.advance(0);
  assertEquals([done, sockets.length], [["/1", "/2", "/3", "/4"], 2]);
  transport.close();
});

Deno.test("ConnectionPool: at most eight connections are opened at a time for requests, which may get one that comes free meanwhile; watches keep theirs, and have them opened at once", async () => {
  const opened: ((socket: FakeSocket) => void)[] = [];
  const { world, transport, send } = fakeTransport({
    dial: () => new Promise<FakeSocket>((resolve) => opened.push(resolve)),
  });
  for (let i = 0; i < 30; i++) void send("GET").then((answer) => answer.text()).catch(() => {});
  await world.clock.advance(0);
  assertEquals([opened.length, transport.counts().waiting], [8, 30]);
  for (let i = 0; i < 20; i++) void send("GET", "/watch", { isWatch: true }).catch(() => {});
  await world.clock.advance(0);
  assertEquals([opened.length, transport.counts().waiting], [28, 50]);
  const socket = new FakeSocket();
  opened[0](socket);
  await world.clock.advance(0);
  socket.push(response("x"));
  await world.clock.advance(0);
  assertEquals([opened.length, transport.counts().waiting], [29, 48]);
  transport.close();
  await world.clock.advance(0);
  assertEquals(transport.counts().waiting, 0);
});

Deno.test("ConnectionPool keeps no more idle connections than allowed", async () => {
  const { world, transport, sockets, send } = fakeTransport({ maxIdle: 1 });
  const all = Promise.all([1, 2, 3].map(() => send("GET").then((answer) => answer.text())));
  await world.clock.advance(0);
  sockets.forEach((socket) => socket.push(response("x")));
  await all;
  assertEquals(transport.counts(), { active: 0, idle: 1, waiting: 0 });
  transport.close();
});

Deno.test("httpTransport takes a request out of the queue when its signal aborts", async () => {
  const { world, transport, send } = fakeTransport({ maxConnections: 1 });
  void send("GET").catch(() => {});
  const stop = new AbortController();
  const waiting = outcomeOf(send("GET", "/", { signal: stop.signal }));
  await world.clock.advance(0);
  assertEquals(transport.counts().waiting, 1);
  stop.abort(new Error("stop"));
  await world.clock.advance(0);
  assertEquals([(waiting.error as Error).message, transport.counts().waiting], ["stop", 0]);
  transport.closeAll(new Error("end of test"));
  transport.close();
});

Deno.test("ConnectionPool: a connection that cannot be opened fails the request that has waited longest, and it is told why", async () => {
  const dial = () =>
    Promise.reject(new ConnectionError("refused", "dial tcp 10.0.0.1:6443: connect: connection refused"));
  const { transport, send } = fakeTransport({ dial });
  const error = await assertRejects(() => send("GET", "/api"), ConnectionError);
  assertEquals(error.message, 'Get "http://server.test/api": dial tcp 10.0.0.1:6443: connect: connection refused');
  assertEquals([error.failure, transport.counts().waiting], ["refused", 0]);
  await Promise.all(Array.from({ length: 20 }, () => assertRejects(() => send("GET"), ConnectionError)));
  transport.close();
});

Deno.test("ConnectionPool: a connection that cannot be opened fails the request that has waited longest; if opening it took too long, all requests that waited already when it began", async () => {
  const dials: Deferred<Socket>[] = [];
  const dial = () => {
    const opening = new Deferred<Socket>();
    dials.push(opening);
    return opening.promise;
  };
  const { world, transport, send } = fakeTransport({ dial, maxInFlight: 100 });
  const timeOut = async (count: number) => {
    for (const opening of dials.splice(0, count)) opening.reject(new ConnectionError("timeout", "i/o timeout"));
    await world.clock.advance(0);
  };
  const early = Array.from({ length: 50 }, () => outcomeOf(send("GET")));
  await world.clock.advance(0);
  await timeOut(8);
  assertEquals(early.filter(({ isSettled }) => isSettled).length, 8);
  const late = outcomeOf(send("GET"));
  await timeOut(1);
  assertEquals(early.map(({ error }) => connectionFailureOf(error)), Array(50).fill("timeout"));
  assertEquals(late.isSettled, false);
  transport.close();
  for (const opening of dials) opening.resolve(new FakeSocket());
  await world.clock.advance(0);
  assertEquals([connectionFailureOf(late.error), world.clock.pendingTimers], ["other", 0]);
});

Deno.test("ConnectionPool: a server found silent costs one request its time, not one for each idle connection: those are closed too", async () => {
  const { world, transport, sockets, send } = await withIdle({ idleTimeoutMs: 1e9, deadPeerTimeoutMs: 60_000 });
  const first = outcomeOf(send("GET"));
  const second = outcomeOf(send("GET"));
  await world.clock.advance(0);
  sockets[1].push(response("x"));
  await world.clock.advance(0);
  await (await second.value)?.text();
  assertEquals(transport.counts(), { active: 1, idle: 1, waiting: 0 });
  await world.clock.advance(65_000);
  assertEquals(connectionFailureOf(first.error), "timeout");
  assertEquals([transport.counts().idle, sockets.map((socket) => socket.isClosed)], [0, [true, true]]);
  transport.close();
});

Deno.test("Client over httpTransport leaves no listener on a signal that outlives its requests, however they ended", async () => {
  const { world, transport, sockets } = fakeTransport({ deadPeerTimeoutMs: 60_000 });
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  const limiter = new TokenBucket(world.clock, { qps: 100, burst: 1 });
  const client = new Client({ world, transport, server: ORIGIN, userAgent: "test", limiter, timeoutMs: 30_000 });
  const ends: ((socket: FakeSocket) => unknown)[] = [
    (socket) => socket.push(response("{}")),
    (socket) => socket.push(response("no such thing", "404 Not Found")),
    (socket) => socket.push(response("busy", "429 Too Many Requests", "Retry-After: 1\r\n")),
    (socket) => socket.push("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{").end(),
    (socket) => socket.push("garbage"),
    (socket) => socket.reset(),
    () => {}, // silence, until the timeout
  ];
  for (const end of ends) {
    const got = outcomeOf(client.get(PODS, { namespace: "x", name: "a" }, { signal }));
    const opened = outcomeOf(client.open(PODS, {}, { signal }));
    await world.clock.advance(20);
    for (const socket of sockets) if (!socket.isClosed) end(socket);
    await world.clock.advance(0);
    await opened.value?.cancel();
    for (let i = 0; i < 50; i++) {
      await world.clock.advance(1000);
      for (const socket of sockets) if (!socket.isClosed) socket.reset();
    }
    assertEquals([got.isSettled, opened.isSettled, listeners.count], [true, true, 0]);
  }
  transport.close();
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("HttpConnection: after abort everything that waits fails with the given reason; new connections are opened later", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = outcomeOf(send("GET"));
  await world.clock.advance(0);
  transport.closeAll(new Error("certificate rotated"));
  await world.clock.advance(0);
  assertEquals([(sent.error as Error).message, sockets[0].isClosed], ["certificate rotated", true]);
  const again = send("GET");
  await world.clock.advance(0);
  sockets[1].push(response("y"));
  assertEquals(await (await again).text(), "y");
  transport.close();
});

Deno.test("httpTransport.closeIdle closes what is unused and nothing else", async () => {
  const { world, transport, sockets, send } = await withIdle();
  const busy = send("GET");
  const other = send("GET");
  await world.clock.advance(0);
  sockets[1].push(response("y"));
  await (await other).text();
  transport.closeIdle();
  assertEquals(sockets.map((socket) => socket.isClosed), [false, true]);
  sockets[0].push(response("z"));
  assertEquals(await (await busy).text(), "z");
  transport.close();
});

Deno.test("httpTransport.close lets a response under way end, and takes no more", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = send("GET");
  await world.clock.advance(0);
  transport.close();
  await assertRejects(() => send("GET"), ConnectionError, "closed");
  sockets[0].push(response("x"));
  assertEquals(await (await sent).text(), "x");
  assertEquals([sockets[0].isClosed, world.clock.pendingTimers], [true, 0]);
});
