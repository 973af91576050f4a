import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { ConnectionError, connectionFailureOf } from "../../../../src/client/mod.ts";
import { fakeTransport, ORIGIN, response } from "../test_socket.ts";
import { outcomeOf } from "../test_server.ts";

Deno.test("httpTransport sends a request and reads a response with a length", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = send("POST", "/a?b", { body: "{}" });
  await world.clock.advance(0);
  sockets[0].push(response("hello", "201 Created", "Content-Type: text/plain\r\n"));
  const answer = await sent;
  assertEquals(
    sockets[0].written,
    "POST /a?b HTTP/1.1\r\nHost: server.test\r\naccept: application/json\r\ncontent-length: 2\r\n\r\n{}",
  );
  assertEquals([answer.status, answer.header("content-type"), await answer.text()], [201, "text/plain", "hello"]);
  assertEquals(answer.bodyBytes, 5);
  assertEquals(transport.counts(), { active: 0, idle: 1, waiting: 0 });
  transport.close();
  assertEquals([sockets[0].isClosed, world.clock.pendingTimers], [true, 0]);
});

Deno.test("httpTransport reads a response however it is split", async () => {
  const text =
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;x\r\nh\u00e9llo\r\n3\r\n yo\r\n0\r\nT: x\r\n\r\n`;
  const { world, transport, sockets, send } = fakeTransport();
  for (const step of [1, 2, 5, 1000]) {
    const sent = send("GET").then((answer) => answer.text());
    await world.clock.advance(0);
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += step) {
      sockets[0].pushBytes(bytes.slice(at, at + step));
    }
    assertEquals(await sent, "h\u00e9llo yo");
  }
  assertEquals(sockets.length, 1);
  transport.close();
});

Deno.test("httpTransport uses a connection again, and has as many as requests under way", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const first = send("GET", "/1");
  const second = send("GET", "/2");
  await world.clock.advance(0);
  sockets.forEach((socket) => socket.push(response("x")));
  await (await first).text();
  await (await second).text();
  const third = send("GET", "/3");
  await world.clock.advance(0);
  sockets[1].push(response("y"));
  assertEquals(await (await third).text(), "y");
  assertEquals(sockets.length, 2);
  transport.close();
});

Deno.test("httpTransport: a request is on one connection alone, so that a watch that stalls holds up nothing else", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const watch = send("GET", "/watch");
  await world.clock.advance(0);
  sockets[0].push("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab");
  const stalled = (await watch).stream();
  for (const path of ["/1", "/2"]) {
    const sent = send("GET", path).then((answer) => answer.text());
    await world.clock.advance(0);
    sockets[1].push(response(path));
    assertEquals(await sent, path);
  }
  assertEquals(sockets.map(({ written }) => written.match(/\/\w+ HTTP/g)), [["/watch HTTP"], ["/1 HTTP", "/2 HTTP"]]);
  await stalled.cancel();
  transport.close();
});

Deno.test("HttpConnection: a connection is reusable only when the response ended where its framing says, and both sides keep it alive", async () => {
  for (const head of ["Connection: close\r\nContent-Length: 2\r\n", ""]) {
    const { world, transport, sockets, send } = fakeTransport();
    const sent = send("GET");
    await world.clock.advance(0);
    sockets[0].push(`HTTP/1.1 200 OK\r\n${head}\r\nab`).end();
    assertEquals(await (await sent).text(), "ab");
    assertEquals(transport.counts(), { active: 0, idle: 0, waiting: 0 });
    assertEquals(sockets[0].isClosed, true);
    transport.close();
  }
});

Deno.test("httpTransport reads over informational responses", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = send("POST", "/", { body: "x" });
  await world.clock.advance(0);
  sockets[0].push(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${response("ok")}`);
  assertEquals(await (await sent).text(), "ok");
  transport.close();
});

Deno.test("httpTransport reads no body after 204, 304 and HEAD, and uses the connection again", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const cases: readonly (readonly [string, string])[] = [
    ["GET", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"],
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"],
  ];
  for (const [method, text] of cases) {
    const sent = send(method);
    await world.clock.advance(0);
    sockets[0].push(text);
    assertEquals(await (await sent).text(), "");
  }
  assertEquals([sockets.length, transport.counts().idle], [1, 1]);
  transport.close();
});

Deno.test("httpTransport: an aborted signal, or a cancelled body, closes the connection; a body is streamed piece by piece", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = send("GET");
  await world.clock.advance(0);
  sockets[0].push("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
  const reader = (await sent).stream().getReader();
  assertEquals(new TextDecoder().decode((await reader.read()).value), "ab");
  const next = outcomeOf(reader.read());
  await world.clock.advance(600_000);
  assertEquals(next.isSettled, false);
  sockets[0].push("1\r\nc\r\n");
  await world.clock.advance(0);
  assertEquals(new TextDecoder().decode(next.value?.value), "c");
  await reader.cancel();
  assertEquals([sockets[0].isClosed, transport.counts().active], [true, 0]);
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("httpTransport keeps pieces of a stream apart from the bytes that come later", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = send("GET");
  await world.clock.advance(0);
  sockets[0].push("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
  const reader = (await sent).stream().getReader();
  const first = (await reader.read()).value!;
  sockets[0].push("cd");
  await reader.read();
  assertEquals(new TextDecoder().decode(first), "ab");
  assertEquals((await reader.read()).done, true);
  assertEquals(transport.counts().idle, 1);
  transport.close();
});

Deno.test("httpTransport fails a body that is cut short", async () => {
  const cases = { "Content-Length: 9": "ab", "Transfer-Encoding: chunked": "9\r\nab" };
  for (const [header, body] of Object.entries(cases)) {
    const { world, transport, sockets, send } = fakeTransport();
    const sent = send("GET", "/pods");
    await world.clock.advance(0);
    sockets[0].push(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n${body}`).end();
    const error = await assertRejects(async () => (await sent).text(), ConnectionError);
    assertEquals([error.failure, error.message], ["eof", `Get "${ORIGIN}/pods": unexpected EOF`]);
    assertEquals(transport.counts().active, 0);
    transport.close();
  }
});

Deno.test("HttpConnection: bytes that come while no response is awaited close it; nobody is given those after the response", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const sent = send("GET");
  await world.clock.advance(0);
  sockets[0].push(`${response("ab")}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`);
  assertEquals(await (await sent).text(), "ab");
  assertEquals([sockets[0].isClosed, transport.counts().idle], [true, 0]);
  transport.close();
});

Deno.test("HttpConnection: while idle it keeps reading, so that the server's closing is noticed before the next request and not by it; bytes that come while no response is awaited close it", async () => {
  for (const act of ["push", "end", "reset"] as const) {
    const { world, transport, sockets, send } = fakeTransport();
    const sent = send("GET");
    await world.clock.advance(0);
    sockets[0].push(response("ab"));
    await (await sent).text();
    if (act === "push") sockets[0].push(response("evil"));
    else sockets[0][act]();
    await world.clock.advance(0);
    assertEquals([sockets[0].isClosed, transport.counts().idle], [true, 0]);
    transport.close();
  }
});

Deno.test("httpTransport refuses a response head that is too long or no HTTP", async () => {
  for (const text of [`HTTP/1.1 200 OK\r\nA: ${"x".repeat(20_000)}\r\n\r\n`, "220 smtp.example ESMTP\r\n\r\n"]) {
    const { world, transport, sockets, send } = fakeTransport();
    const sent = outcomeOf(send("GET"));
    await world.clock.advance(0);
    sockets[0].push(text);
    await world.clock.advance(0);
    assertEquals(connectionFailureOf(sent.error), "protocol");
    assertEquals(sockets[0].isClosed, true);
    transport.close();
  }
});

Deno.test("httpTransport: an aborted signal, or a cancelled body, closes the connection; HttpConnection: after abort everything that waits fails with the given reason, before and in a body", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const stop = new AbortController();
  const before = outcomeOf(send("GET", "/", { signal: stop.signal }));
  const within = send("GET", "/", { signal: stop.signal });
  await world.clock.advance(0);
  sockets[1].push("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
  const text = outcomeOf((await within).text());
  await world.clock.advance(0);
  stop.abort(new Error("stop"));
  await world.clock.advance(0);
  assertEquals([(before.error as Error).message, (text.error as Error).message], ["stop", "stop"]);
  assertEquals(sockets.map((socket) => socket.isClosed), [true, true]);
  await assertRejects(() => send("GET", "/", { signal: stop.signal }), Error, "stop");
  assertEquals(sockets.length, 2);
  transport.close();
});

Deno.test("httpTransport leaves a finished connection alone when the signal aborts later", async () => {
  const { world, transport, sockets, send } = fakeTransport();
  const stop = new AbortController();
  const sent = send("GET", "/", { signal: stop.signal });
  await world.clock.advance(0);
  sockets[0].push(response("ab"));
  await (await sent).text();
  stop.abort();
  assertEquals([sockets[0].isClosed, transport.counts().idle], [false, 1]);
  transport.close();
});

Deno.test("httpTransport: beforeWrite runs before every sending, retries included; when it throws, nothing is sent", async () => {
  let mayWrite = true;
  const asked: string[] = [];
  const { world, transport, sockets, send } = fakeTransport({
    beforeWrite: ({ method, url }) => {
      asked.push(`${method} ${url} ${sockets.at(-1)?.written.length}`);
      if (!mayWrite) throw new Error("lease lost");
    },
  });
  const first = send("POST", "/a");
  await world.clock.advance(0);
  sockets[0].push(response("x"));
  await (await first).text();
  mayWrite = false;
  const before = sockets[0].written;
  await assertRejects(() => send("POST", "/b"), Error, "lease lost");
  assertEquals([sockets[0].written, asked[0]], [before, `POST ${ORIGIN}/a 0`]);
  mayWrite = true;
  const third = send("GET", "/c");
  await world.clock.advance(0);
  sockets[0].push(response("y"));
  assertEquals(await (await third).text(), "y");
  assertEquals(sockets.length, 1);
  transport.close();
});

Deno.test("httpTransport: beforeWrite runs before every sending, retries included, and before each further piece of a request too large to go out at once", async () => {
  let pieces = 0;
  const { world, transport, sockets, send } = fakeTransport({
    beforeWrite: ({ method }) => {
      if (method === "POST" && ++pieces > 2) throw new Error("lease lost");
    },
  });
  const first = send("GET");
  await world.clock.advance(0);
  sockets[0].push(response("x"));
  await (await first).text();
  sockets[0].mostBytes = 16;
  const before = sockets[0].written.length;
  await assertRejects(() => send("POST", "/b", { body: "0123456789" }), Error, "lease lost");
  assertEquals([sockets[0].written.length - before, sockets[0].isClosed, sockets.length], [32, true, 2]);
  assertEquals(sockets[1].written, "");
  transport.close();
});

Deno.test("httpTransport: requests to another server than server are refused, before any connection", async () => {
  const { transport, sockets } = fakeTransport();
  const get = (url: string) => transport.exchange({ method: "GET", url, headers: {} });
  await assertRejects(() => get("http://other.test/"), TypeError, "this transport is for http://server.test only");
  await assertRejects(() => get("http://server.test.evil/"), TypeError);
  await assertRejects(() => get("http://server.test@evil/"), TypeError);
  await assertRejects(() => get("file:///etc/passwd"), TypeError);
  assertEquals(sockets.length, 0);
});

Deno.test("httpTransport is fetch-shaped", async () => {
  const { world, transport, sockets } = fakeTransport();
  const sent = transport(new Request(`${ORIGIN}/a`, { method: "POST", body: "{}", headers: { "x-y": "z" } }));
  await world.clock.advance(0);
  sockets[0].push(response('{"a":1}', "200 OK", "Content-Type: application/json\r\n"));
  const answer = await sent;
  assertEquals([answer.status, answer.headers.get("content-type"), await answer.json()], [
    200,
    "application/json",
    { a: 1 },
  ]);
  assertStringIncludes(sockets[0].written, "x-y: z\r\n");
  transport.close();
});

Deno.test("httpTransport refuses a malformed URL of a server", () => {
  assertThrows(() => fakeTransport({ server: "nonsense" }), TypeError);
});
