import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { PODS } from "../../../src/api/mod.ts";
import {
  Client,
  connectionFailureOf,
  isTooManyRequests,
  StatusError,
  TokenBucket,
  transportOf,
} from "../../../src/client/mod.ts";
import { outcomeOf, testClient } from "./test_server.ts";
import { fakeTransport, ORIGIN } from "./test_socket.ts";

const ref = { namespace: "x", name: "a" };
const pod = { metadata: { namespace: "x", name: "a" } };
const busy = (retryAfter: string) => new Response("busy", { status: 429, headers: { "retry-after": retryAfter } });
const ok = () => Response.json({});
const silent = () => new Promise<Response>(() => {});

/** A client whose server is a test at the other end of a socket. */
function socketClient() {
  const { world, transport, sockets } = fakeTransport();
  const client = new Client({ world, transport, server: ORIGIN, userAgent: "test" });
  return { world, client, sockets };
}

Deno.test("Client: a request that has not ended in time throws ConnectionError with failure timeout: 90 s with its retries", async () => {
  const { world, client, seen } = testClient([silent]);
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(89_999);
  assertEquals(got.isSettled, false);
  await world.clock.advance(1);
  assertEquals(connectionFailureOf(got.error), "timeout");
  assertEquals([seen[0].path, world.clock.pendingTimers], ["/api/v1/namespaces/x/pods/a", 0]);
});

Deno.test("RequestSender: after an answer of 429 or at least 500 with whole seconds in Retry-After the request is sent again, whatever the verb, when so many seconds have passed, at most 32", async () => {
  const { world, client, seen } = testClient([busy("999999999"), ok]);
  const created = outcomeOf(client.create(PODS, pod));
  await world.clock.advance(31_999);
  assertEquals(seen.length, 1);
  await world.clock.advance(1);
  assertEquals([seen.length, created.isSettled, created.error], [2, true, undefined]);
});

Deno.test("RequestSender: after ten retries, or when the next pause would outlast the deadline, the last answer is returned", async () => {
  const { world, client, seen } = testClient([() => busy("999999999")]);
  const created = outcomeOf(client.create(PODS, pod));
  await world.clock.advance(64_000);
  assertEquals(seen.length, 3);
  assert(isTooManyRequests(created.error));
  const hurried = testClient([() => busy("5")], { timeoutMs: 5000 });
  await assertRejects(() => hurried.client.create(PODS, pod), StatusError);
  assertEquals([hurried.seen.length, world.clock.pendingTimers], [1, 0]);
});

Deno.test("Client: only the wait for the client's own limiter does not count towards the timeout", async () => {
  const world = new FakeWorld();
  const limiter = new TokenBucket(world.clock, { qps: 0.005, burst: 1 });
  const { client, seen } = testClient([ok, silent], { world, limiter, timeoutMs: 5000 });
  await client.get(PODS, ref);
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(199_999);
  assertEquals([seen.length, got.isSettled], [1, false]);
  await world.clock.advance(5001);
  assertEquals([seen.length, connectionFailureOf(got.error)], [2, "timeout"]);
});

Deno.test("Client: a stream must begin by then, and may last longer", async () => {
  const late = testClient([silent]);
  const opened = outcomeOf(late.client.open(PODS, { limit: 500 }));
  await late.world.clock.advance(90_000);
  assertEquals([connectionFailureOf(opened.error), late.world.clock.pendingTimers], ["timeout", 0]);

  const { world, client, sockets } = socketClient();
  const stop = new AbortController();
  const open = client.open(PODS, { watch: true }, { signal: stop.signal });
  await world.clock.advance(0);
  sockets[0].push("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  const reader = (await open).getReader();
  await reader.read();
  await world.clock.advance(200_000);
  sockets[0].push("1\r\nb\r\n");
  assertEquals((await reader.read()).value, new TextEncoder().encode("b"));
  stop.abort(new Error("stopped"));
  await assertRejects(() => reader.read(), Error, "stopped");
  assertEquals([sockets[0].isClosed, world.clock.pendingTimers], [true, 0]);
});

Deno.test("Client ends a request whose plugin for credentials hangs", async () => {
  const world = new FakeWorld();
  const exec = { command: "login", args: [], env: [], apiVersion: "client.authentication.k8s.io/v1", installHint: "" };
  const config = {
    server: "https://h",
    exec: { ...exec, interactiveMode: "IfAvailable", provideClusterInfo: false },
  } as const;
  const never = new Promise<never>(() => {});
  const transport = transportOf(world, config, { runExec: () => never, isTerminal: () => true });
  const client = new Client({ world, transport, server: "https://h", userAgent: "test" });
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(90_000);
  assertEquals([connectionFailureOf(got.error), world.clock.pendingTimers], ["timeout", 0]);
  transport.close();
});

const trickles: Readonly<Record<string, { readonly head: string; readonly piece: string }>> = {
  "a body": { head: "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", piece: " " },
  "a body without a length": { head: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", piece: " " },
  "chunks": { head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", piece: "1\r\n \r\n" },
  "a chunk's extension": { head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", piece: "x" },
  "trailers": { head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", piece: "x: y\r\n" },
  "a head": { head: "HTTP/1.1 200 OK\r\n", piece: "x: y\r\n" },
  "a status line": { head: "", piece: "H" },
  "the body of an answer to be tried again": {
    head: "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 100000\r\n\r\n",
    piece: " ",
  },
  "the body of an error": { head: "HTTP/1.1 404 Not Found\r\nContent-Length: 100000\r\n\r\n", piece: " " },
};
for (const [what, { head, piece }] of Object.entries(trickles)) {
  for (const verb of ["create", "open"] as const) {
    if (verb === "open" && head.includes("200 OK") && what !== "a head") continue; // a stream goes on
    Deno.test(`Client ends a ${verb} whose server trickles ${what}`, async () => {
      const { world, client, sockets } = socketClient();
      const done = outcomeOf<unknown>(
        verb === "create" ? client.create(PODS, pod) : client.open(PODS, { watch: true }),
      );
      await world.clock.advance(0);
      sockets[0].push(head);
      for (let second = 0; second < 90; second++) {
        sockets[0].push(piece);
        await world.clock.advance(1000);
      }
      assert(done.isSettled);
      assertInstanceOf(done.error, Error);
      assertEquals([sockets[0].isClosed, world.clock.pendingTimers], [true, 0]);
    });
  }
}

Deno.test("HttpConnection: more than five informational answers are an error", async () => {
  for (const status of ["100 Continue", "103 Early Hints"]) {
    const { world, client, sockets } = socketClient();
    const fine = outcomeOf(client.get(PODS, ref));
    await world.clock.advance(0);
    const informational = `HTTP/1.1 ${status}\r\nLink: <x>\r\n\r\n`;
    sockets[0].push(informational.repeat(5) + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    await world.clock.advance(0);
    assertEquals([fine.isSettled, fine.error], [true, undefined]);
    const flooded = outcomeOf(client.get(PODS, ref));
    await world.clock.advance(0);
    sockets[0].push(informational.repeat(6));
    await world.clock.advance(0);
    assertEquals([connectionFailureOf(flooded.error), sockets[0].isClosed], ["protocol", true]);
  }
});
