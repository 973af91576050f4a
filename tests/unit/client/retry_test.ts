import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { MetricsRegistry } from "../../../src/base/mod.ts";
import { PODS } from "../../../src/api/mod.ts";
import { ConnectionError, connectionFailureOf, isTooManyRequests, StatusError } from "../../../src/client/mod.ts";
import { outcomeOf, testClient } from "./test_server.ts";

const ref = { namespace: "x", name: "a" };
const pod = { metadata: { namespace: "x", name: "a" } };
const busy = (code: number, retryAfter?: string) =>
  new Response("busy", { status: code, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } });
const reset = () => new ConnectionError("reset", "read: connection reset by peer");
const ok = () => Response.json({});

Deno.test("RequestSender: after an answer of 429 or at least 500 with whole seconds in Retry-After the request is sent again, a POST too", async () => {
  const { world, client, seen } = testClient([busy(429, "2"), ok()]);
  const created = outcomeOf(client.create(PODS, pod));
  await world.clock.advance(1999);
  assertEquals(seen.length, 1);
  await world.clock.advance(1);
  assertEquals(seen.length, 2);
  assertEquals([seen[1].method, seen[1].text], [seen[0].method, seen[0].text]);
  assert(created.isSettled && !created.error);
});

Deno.test("RequestSender: the warnings of each answer go to onWarning", async () => {
  const warned: string[] = [];
  const headers = new Headers([["warning", '299 - "a \\"b\\""'], ["warning", '299 - "\u00c3\u00a9"']]);
  const { client } = testClient([Response.json({}, { headers })], { onWarning: (text) => warned.push(text) });
  await client.create(PODS, pod);
  assertEquals(warned, ['a "b"', "é"]);
});

for (const code of [500, 503, 504]) {
  Deno.test(`RequestSender: after an answer of 429 or at least 500 with whole seconds in Retry-After the request is sent again, whatever the verb: ${code}`, async () => {
    const { world, client, seen } = testClient([busy(code, "1"), ok()]);
    const updated = outcomeOf(client.update(PODS, pod));
    await world.clock.advance(1000);
    assertEquals([seen.length, updated.isSettled, updated.error], [2, true, undefined]);
  });
}

for (
  const answer of [busy(500), busy(429), busy(503, "Wed, 21 Oct 2026 07:28:00 GMT"), busy(503, "1.5"), busy(409, "1")]
) {
  Deno.test(`RequestSender: everything else is the caller's business: ${answer.status} with Retry-After ${answer.headers.get("retry-after")}`, async () => {
    const { client, seen } = testClient([answer, ok()]);
    await assertRejects(() => client.create(PODS, pod), StatusError);
    assertEquals(seen.length, 1);
  });
}

Deno.test("RequestSender: a GET whose connection was lost is sent again after a second, ten times", async () => {
  const { world, client, seen } = testClient([reset()]);
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(9999);
  assertEquals(seen.length, 10);
  await world.clock.advance(1);
  assertEquals(seen.length, 11);
  assertInstanceOf(got.error, ConnectionError);
});

Deno.test("Client recognises resets by fetch and by Deno's sockets", async () => {
  const byFetch = new TypeError("error sending request", {
    cause: new Error("connection closed before message completed"),
  });
  for (
    const error of [byFetch, new Deno.errors.ConnectionReset("os error 104"), new Deno.errors.UnexpectedEof("eof")]
  ) {
    const { world, client, seen } = testClient([error, ok()]);
    const got = outcomeOf(client.get(PODS, ref));
    await world.clock.advance(1000);
    assertEquals([seen.length, got.isSettled, got.error], [2, true, undefined]);
  }
});

Deno.test("Client sends again after Retry-After even if the connection breaks within the answer", async () => {
  const broken = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(reset()) }), {
      status: 503,
      headers: { "retry-after": "1" },
    });
  const { world, client, seen } = testClient([broken, ok()]);
  const created = outcomeOf(client.create(PODS, pod));
  await world.clock.advance(1000);
  assertEquals([seen.length, created.isSettled, created.error], [2, true, undefined]);
});

Deno.test("RequestSender: everything else is the caller's business: a reset connection of a PUT, POST, PATCH and DELETE", async () => {
  const { client, seen } = testClient([reset()]);
  await assertRejects(() => client.update(PODS, pod), ConnectionError);
  await assertRejects(() => client.create(PODS, pod), ConnectionError);
  await assertRejects(() => client.patch(PODS, ref, { type: "merge", body: {} }), ConnectionError);
  await assertRejects(() => client.delete(PODS, ref), ConnectionError);
  assertEquals(seen.length, 4);
});

Deno.test("RequestSender: everything else is the caller's business: a refused connection and a timeout of a GET", async () => {
  for (const failure of ["refused", "timeout", "tls"] as const) {
    const { client, seen } = testClient([new ConnectionError(failure, "no")]);
    await assertRejects(() => client.get(PODS, ref), ConnectionError, "no");
    assertEquals(seen.length, 1);
  }
});

Deno.test("Client: nothing is retried but what RequestSender names; a conflict is the caller's business", async () => {
  for (
    const [code, reason] of [[409, "Conflict"], [404, "NotFound"], [422, "Invalid"], [500, "InternalError"]] as const
  ) {
    const { client, seen } = testClient([Response.json({ kind: "Status", reason, code }, { status: code }), ok()]);
    await assertRejects(() => client.update(PODS, pod), StatusError);
    assertEquals(seen.length, 1);
  }
});

Deno.test("RequestSender: after ten retries, or when the next pause would outlast the deadline, the last answer is returned", async () => {
  const { world, client, seen } = testClient([busy(429, "1")]);
  const created = outcomeOf(client.create(PODS, pod));
  await world.clock.advance(60_000);
  assertEquals(seen.length, 11);
  assert(isTooManyRequests(created.error));
});

Deno.test("RequestSender: after ten retries, or when the next pause would outlast the deadline, the last error is thrown with the one before", async () => {
  const { world, client } = testClient([reset(), new ConnectionError("refused", "connection refused")]);
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(1000);
  assertEquals(connectionFailureOf(got.error), "refused");
  assertEquals(
    (got.error as Error).message,
    "connection refused - error from a previous attempt: read: connection reset by peer",
  );
});

Deno.test("RequestSender: every attempt takes a token of the limiter, except those of a watch: a retry takes one too", async () => {
  const taken: number[] = [];
  const limiter = { reserveMs: () => (taken.push(1), 0), release: () => {} };
  const { world, client } = testClient([busy(429, "1"), ok()], { limiter });
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(1000);
  assertEquals([taken.length, got.isSettled], [2, true]);
});

Deno.test("Client stops waiting for a retry when the signal aborts", async () => {
  const { world, client, seen } = testClient([busy(429, "30")]);
  const stop = new AbortController();
  const got = outcomeOf(client.get(PODS, ref, { signal: stop.signal }));
  await world.clock.advance(1000);
  stop.abort(new Error("stop"));
  await world.clock.advance(0);
  assertEquals((got.error as Error).message, "stop");
  assertEquals([seen.length, world.clock.pendingTimers], [1, 0]);
});

Deno.test("Client.open of a watch retries lost connections and timeouts, and then throws the last", async () => {
  for (const failure of ["eof", "reset", "timeout"] as const) {
    const { world, client, seen } = testClient([new ConnectionError(failure, "no")]);
    const opened = outcomeOf(client.open(PODS, { watch: true }));
    await world.clock.advance(60_000);
    assertEquals(seen.length, 11);
    assertEquals(connectionFailureOf(opened.error), failure);
  }
});

Deno.test("Client.open of a watch returns a refused connection at once", async () => {
  const { client, seen } = testClient([new ConnectionError("refused", "no")]);
  await assertRejects(() => client.open(PODS, { watch: true }), ConnectionError);
  assertEquals(seen.length, 1);
});

Deno.test("Client.open of a watch throws what the server reports, even if it speaks of failures of connections", async () => {
  for (const message of ["etcdserver: request timed out", "dial tcp 10.0.0.9:443: connect: connection refused"]) {
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: 500, reason: "InternalError", message };
    const { client, seen } = testClient([Response.json(status, { status: 500 })]);
    const error = await assertRejects(() => client.open(PODS, { watch: true }), StatusError, message);
    assertEquals([connectionFailureOf(error), seen.length], [undefined, 1]);
  }
});

Deno.test("Client.open of a list does not turn a lost connection into an empty list", async () => {
  const { world, client } = testClient([reset()]);
  const opened = outcomeOf(client.open(PODS, { limit: 500 }));
  await world.clock.advance(60_000);
  assertInstanceOf(opened.error, ConnectionError);
});

Deno.test("Client counts requests and retries by code", async () => {
  const metrics = new MetricsRegistry();
  const { world, client } = testClient([busy(429, "1"), reset(), ok()], { metrics });
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(5000);
  assert(got.isSettled && !got.error);
  const lines = metrics.render().split("\n").filter((line) =>
    /requests_total|retries_total/.test(line) && line[0] !== "#"
  );
  assertEquals(lines, [
    'rest_client_request_retries_total{code="429",verb="GET",host="example.test"} 1',
    'rest_client_request_retries_total{code="<error>",verb="GET",host="example.test"} 1',
    'rest_client_requests_total{code="429",method="GET",host="example.test"} 1',
    'rest_client_requests_total{code="<error>",method="GET",host="example.test"} 1',
    'rest_client_requests_total{code="200",method="GET",host="example.test"} 1',
  ]);
});

Deno.test("Client counts a watch in the number of requests only", async () => {
  const metrics = new MetricsRegistry();
  const { client } = testClient([ok()], { metrics });
  await client.open(PODS, { watch: true });
  const series = metrics.render().split("\n").filter((line) => line !== "" && line[0] !== "#");
  assertEquals(series, ['rest_client_requests_total{code="200",method="GET",host="example.test"} 1']);
});

Deno.test("Client observes sizes and durations of a request", async () => {
  const metrics = new MetricsRegistry();
  const { client } = testClient([ok()], { metrics });
  await client.create(PODS, pod);
  const text = metrics.render();
  for (
    const name of [
      "request_duration_seconds",
      "rate_limiter_duration_seconds",
      "request_size_bytes",
      "response_size_bytes",
    ]
  ) {
    assert(text.includes(`rest_client_${name}_count{verb="POST",host="example.test"} 1`), name);
  }
});
