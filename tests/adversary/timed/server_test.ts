/**
 * An API server that lies, or a proxy in front of it. What it does, and what bounds it:
 *
 * | lie                                                        | bound                                                      |
 * | ---------------------------------------------------------- | ---------------------------------------------------------- |
 * | a failure's body without end                               | 64 KiB are read, the rest is given up                      |
 * | an object without end                                      | 16 MiB, then an error                                      |
 * | another object, kind or namespace than asked for; nothing  | an error: nothing is decided by it                         |
 * | HTML, gzip, protobuf, half a text, Table as the answer     | an error                                                   |
 * | redirects                                                  | not followed: credentials go nowhere else                  |
 * | a client's list whose pages get nowhere                    | an error at the first such page                            |
 * | a watch that trickles bytes, or objects of another kind    | cut after the progress deadline                            |
 * | 410 at every watch; streams that end at once               | the reflector's backoff                                    |
 * | a bookmark with a version that nobody knows                | after a 400 or 422 the list is asked for without a version |
 * | empty pages without end; the list of another kind          | the list has failed; backoff                               |
 * | a million items without a name                             | a hundred log lines in ten seconds                         |
 * | 30,000 changes at once                                     | the event loop gets its turns                              |
 * | discovery with thousands of entries, names that are paths  | linear; such names are left out                            |
 * | a Lease with fields of other types; writes not done        | not held, the fence stays shut                             |
 * | reviews with fields of other types                         | an error: nobody gets in                                   |
 * | tokens that break lines, of megabytes, of other types      | not used; four tries                                       |
 * | garbage where the cluster's authorities are published      | who was trusted before stays so                            |
 */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { setImmediate } from "node:timers";
import { type Lease, PODS } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";
import {
  Client,
  connectionFailureOf,
  Discovery,
  exchangeOf,
  StatusError,
  webTransport,
} from "../../../src/client/mod.ts";
import { withCredentials } from "../../../src/client/credentials/credentials.ts";
import { issueToken } from "../../../src/client/service_account/issue_token.ts";
import { Fence } from "../../../src/election/fence.ts";
import { LeaseClaim } from "../../../src/election/lease_claim.ts";
import { LeaseLock } from "../../../src/election/mod.ts";
import { AccessReviews, TokenReviews } from "../../../src/manager/endpoint/reviews.ts";
import { Trust } from "../../../src/manager/endpoint/trust.ts";
import { frames, rig } from "../../unit/cache/fixtures.ts";
import { type Answer, outcomeOf, SERVER, testClient } from "../../unit/client/test_server.ts";
import { fakeTransport, ORIGIN } from "../../unit/client/test_socket.ts";
import { Bench, Body, bookmark, errorEvent, event, list, status } from "../../unit/watch/fakes.ts";
import { threadMs } from "./thread_time.ts";

const MIB = 1024 * 1024;
const ref = { namespace: "x", name: "a" };
const mine = { kind: "Pod", apiVersion: "v1", metadata: { ...ref, resourceVersion: "1" } };

/** An answer that goes on for as long as anybody reads, up to 64 MiB. */
function endless(status: number): { answer: Response; read: () => number } {
  let pieces = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => ++pieces > 1024 ? controller.close() : controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
  }, { highWaterMark: 0 });
  return { answer: new Response(stream, { status }), read: () => pieces * 64 * 1024 };
}

Deno.test("Client: an answer longer than any object is an error: a failure is read to 64 KiB and an object to 16 MiB, whatever comes", async () => {
  for (const [code, limit] of [[500, MIB], [422, MIB], [200, 17 * MIB]] as const) {
    const { answer, read } = endless(code);
    const { client } = testClient([() => answer]);
    const error = await assertRejects(() => client.get(PODS, ref));
    if (code === 200) assertEquals(connectionFailureOf(error), "protocol");
    else assertEquals((error as StatusError).code, code);
    assert(read() <= limit, `${read()}`);
  }
});

Deno.test("a failure over a socket is read to 64 KiB, then the connection is closed", async () => {
  const { world, transport, sockets } = fakeTransport();
  const client = new Client({ world, transport, server: ORIGIN, userAgent: "test" });
  const got = outcomeOf(client.get(PODS, ref));
  await world.clock.advance(0);
  sockets[0].push("HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (let i = 0; i < 20 && !sockets[0].isClosed; i++) {
    sockets[0].push(`1f40\r\n${"x".repeat(8000)}\r\n`);
    await world.clock.advance(0);
  }
  assertEquals([(got.error as StatusError).code, sockets[0].isClosed, world.clock.pendingTimers], [500, true, 0]);
  transport.close();
});

Deno.test("a Status with a million causes counts by its code", async () => {
  const causes = Array.from({ length: 1e5 }, () => ({ reason: "x", message: "y".repeat(20) }));
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", message: "m", code: 422, details: { causes } };
  const { client } = testClient([Response.json(body, { status: 422 })]);
  const error = await assertRejects(() => client.create(PODS, mine), StatusError);
  assert(error.code === 422 && JSON.stringify(error.status).length < 10_000);
});

Deno.test("Client: an answer with another object than the one requested is an error, for reads and writes", async () => {
  const others: [what: RegExp, body: unknown][] = [
    [/called "b"/, { ...mine, metadata: { ...mine.metadata, name: "b" } }],
    [/namespace "y"/, { ...mine, metadata: { ...mine.metadata, namespace: "y" } }],
    [/kind "Secret"/, { ...mine, kind: "Secret" }],
    [/kind "PodList"/, { kind: "PodList", apiVersion: "v1", items: [mine] }],
    [/called \{/, { ...mine, metadata: { name: { a: 1 } } }],
    [/is not an object/, [mine]],
    [/is not an object/, null],
    [/is not an object/, "pod"],
  ];
  for (const [what, body] of others) {
    const { client } = testClient([() => Response.json(body)]);
    const calls = [
      client.get(PODS, ref),
      client.getMetadata(PODS, ref),
      client.create(PODS, mine),
      client.createMetadata(PODS, mine),
      client.update(PODS, mine),
      client.updateStatus(PODS, mine),
      client.patch(PODS, ref, { type: "merge", body: {} }),
    ];
    for (const call of await Promise.allSettled(calls)) {
      assertMatch(call.status === "rejected" ? call.reason.message : "taken", what);
    }
  }
  const { client } = testClient([new Response("")]);
  await assertRejects(() => client.create(PODS, mine), Error, "it is not an object"); // a creation that did nothing
  assertEquals(await testClient([Response.json(mine)]).client.get(PODS, ref), mine);
});

Deno.test("answers that are not JSON are errors", async () => {
  const gzip = new Uint8Array(
    await new Response(new Blob([JSON.stringify(mine)]).stream().pipeThrough(new CompressionStream("gzip")))
      .arrayBuffer(),
  );
  const answers: Answer[] = [
    new Response("<html>Welcome to the hotel</html>", { headers: { "content-type": "text/html" } }),
    new Response(gzip, { headers: { "content-encoding": "gzip" } }),
    new Response(new Uint8Array([0x6b, 0x38, 0x73, 0, 0xff, 0xfe])),
    new Response('{"metadata":{"name":"a"'),
    new Response("{}{}"),
  ];
  for (const answer of answers) {
    await assertRejects(() => testClient([answer]).client.get(PODS, ref), Error, "it is not JSON");
  }
});

Deno.test("a redirect is an error: no credentials follow it", async () => {
  for (const code of [301, 302, 307, 308]) {
    const asked: string[] = [];
    const server = (request: Request) => {
      asked.push(`${request.url} ${request.headers.get("authorization")}`);
      return Promise.resolve(new Response(null, { status: code, headers: { location: "http://thief.test/" } }));
    };
    const exchange = withCredentials(exchangeOf(server), { authorization: () => "Bearer s3cret" });
    const world = new FakeWorld();
    const client = new Client({ world, transport: webTransport(exchange), server: SERVER, userAgent: "test" });
    const error = await assertRejects(() => client.get(PODS, ref), StatusError);
    assertEquals([error.code, asked.length, error.message.includes("s3cret")], [code, 1, false]);
  }
});

Deno.test("a client's list ends in an error where pages get nowhere", async () => {
  let page = 0;
  const next = () => Response.json({ kind: "PodList", metadata: { continue: `t${page++}` }, items: [] });
  await assertRejects(() => testClient([next]).client.listPages(PODS), Error, "without making progress");
  const same = () => Response.json({ kind: "PodList", metadata: { continue: "t" }, items: [{ metadata: {} }] });
  await assertRejects(() => testClient([same]).client.listPages(PODS), Error, "without making progress");
});

Deno.test("a watch that trickles bytes, or objects of another kind, is cut after three minutes without progress", async () => {
  const secret = event("MODIFIED", "s", 12, { kind: "Secret", apiVersion: "v1" });
  for (const trickle of [" ", "\n", secret]) {
    const body = new Body(bookmark(9, "true"), trickle === " " ? '{"type":' : "");
    await using bench = new Bench({}, body);
    for (let i = 0; i < 17; i++) {
      await bench.pass(10_000);
      body.push(trickle);
    }
    assertEquals(bench.server.asked, ["watchList"]);
    await bench.pass(20_000);
    assertEquals(bench.server.asked, ["watchList", "watch rv=9"]);
    assert(body.isCancelled && bench.world.log.lines.length < 20);
  }
});

Deno.test("whatever ends each stream at once, there are few requests", async () => {
  const ends: (() => Body | Error)[] = [
    () => new Body(errorEvent(410, "Expired")).close(),
    () => status(410, "Expired"),
    () => status(401, "Unauthorized"),
    () => status(429, "TooManyRequests"),
    () => new Body(bookmark(9, "true")).close(),
    () => new Body(bookmark("", "true"), errorEvent(410, "Gone")).close(),
    () => new Body('{"type":"SURPRISE","object":{}}').close(),
    () => new Body("\ufeff<html>").close(),
    () => new Body().close(),
  ];
  for (const end of ends) {
    await using bench = new Bench();
    bench.server.otherwise = end;
    await bench.pass(60_000);
    assert(bench.server.requests.length < 30, `${end}: ${bench.server.requests.length}`);
    bench.server.otherwise = ({ verb }) => verb === "list" ? list(20, ["a"]) : new Body(bookmark(20, "true"));
    await bench.pass(120_000);
    assert(["watching", "connecting"].includes(bench.reflector.state.name), bench.reflector.state.name);
  }
});

Deno.test("a version that the server made up is given up once it is refused", async () => {
  for (const [code, reason] of [[400, "BadRequest"], [422, "Invalid"]] as const) {
    await using bench = new Bench({ watchList: false }, list(5), new Body(bookmark("zzz")).close());
    bench.server.otherwise = ({ verb, query }) =>
      query.resourceVersion === "zzz" ? status(code, reason) : verb === "list" ? list(7, ["a"]) : new Body(bookmark(7));
    await bench.pass(120_000);
    assertEquals([bench.reflector.lastResourceVersion, [...bench.sink.content.keys()]], ["7", ["a"]]);
  }
});

Deno.test("a list whose pages are empty without end, and one of another API version, have failed", async () => {
  const other = () => new Body('{"kind":"DeploymentList","apiVersion":"apps/v1","items":[],"metadata":{}}').close();
  for (const answer of [() => list(5, [], `t${Math.random()}`), other]) {
    await using bench = new Bench({ watchList: false });
    bench.server.otherwise = answer;
    await bench.pass(60_000);
    assert(bench.server.requests.length < 30 && bench.sink.calls.length === 0, bench.server.asked.join());
  }
});

Deno.test("thousands of items without a name leave a hundred lines in the log", async () => {
  await using it = rig();
  it.start();
  const replacement = it.source.sink.beginReplace();
  const [nameless] = frames('{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"}}');
  await replacement.events(Array.from({ length: 5000 }, () => nameless));
  await replacement.commit("9");
  assertEquals(it.world.log.lines.filter(({ message }) => message.startsWith("Skipped an object")).length, 100);
});

Deno.test("30,000 changes of one object at once leave the event loop its turns", async () => {
  const changes = Array.from({ length: 30_000 }, (_, i) => event("MODIFIED", "a".repeat(200), 10 + i)).join("");
  await using bench = new Bench({}, new Body(bookmark(9, "true"), changes));
  let turns = 0;
  const count = () => void (turns++, bench.reflector.lastResourceVersion === "30009" || setImmediate(count));
  setImmediate(count);
  while (bench.reflector.lastResourceVersion !== "30009") await bench.pass();
  assert(turns > changes.length / (2 * MIB), `${turns}`);
});

Deno.test("discovery leaves out malformed names, and takes time in proportion", async () => {
  const names = ["pods", "../../../secrets", "a b", "x\r\ny", "", "pods?x=1", "a/b/c", "%2e%2e", "constructor"];
  const resources = [...names, 5, null].map((name) => ({ name, kind: "K", verbs: { a: 1 }, namespaced: "true" }));
  const one = new Discovery(testClient([() => Response.json({ resources })]).client);
  const found = await one.resourcesOf({ group: "g", version: "v1" });
  assertEquals(found.map(({ plural, verbs, namespaced }) => [plural, verbs, namespaced]), [
    ["pods", [], false],
    ["constructor", [], false],
  ]);
  const timeOf = async (length: number) => {
    const many = Array.from({ length }, (_, i) => ({ name: `r${i}`, kind: "K", verbs: ["get"] }));
    const discovery = new Discovery(testClient([() => Response.json({ resources: many })]).client);
    const startMs = threadMs();
    assertEquals((await discovery.resourcesOf({ group: "g", version: "v1" })).length, length);
    return threadMs() - startMs;
  };
  await timeOf(2000);
  const [small, large] = [Math.min(await timeOf(2000), await timeOf(2000)), await timeOf(16_000)];
  assert(large < 40 * Math.max(small, 1), `${small} ms, then ${large} ms`); // squared it would be 64 times
});

Deno.test("a lease is not held unless the server says so in a Lease that is one", async () => {
  const spec = { holderIdentity: "me", leaseDurationSeconds: 15, leaseTransitions: 0 };
  const lies: ((sent: Lease) => unknown)[] = [
    () => ({}),
    () => undefined,
    () => ({ spec: null }),
    ({ spec }) => ({ spec: { ...spec, holderIdentity: "other" } }),
    ({ spec }) => ({ spec: { ...spec, holderIdentity: { me: 1 } } }),
    ({ spec }) => ({ spec: { ...spec, renewTime: "2020-01-01T00:00:00.000000Z" } }), // a write that was not done
    ({ spec }) => ({ spec: { ...spec, leaseDurationSeconds: "15" } }),
    ({ spec }) => ({ spec: { ...spec, leaseTransitions: 2 ** 53 } }),
  ];
  const reads: unknown[] = [
    undefined,
    ...[{ leaseDurationSeconds: 1e300 }, { holderIdentity: {} }, { renewTime: 5 }, { leaseTransitions: {} }]
      .map((wrong) => ({ metadata: {}, spec: { ...spec, ...wrong } })),
  ];
  for (const read of reads) {
    for (const lie of lies) {
      const world = new FakeWorld();
      const fence = new Fence(world.clock, 15_000);
      let isHonest = false;
      const notFound = new StatusError({ code: 404, reason: "NotFound" });
      const write = (_: unknown, lease: Lease) => Promise.resolve((isHonest ? lease : lie(lease)) as Lease);
      const get = () => read && !isHonest ? Promise.resolve(read as Lease) : Promise.reject(notFound);
      const lock = new LeaseLock({
        client: { get, create: write, update: write },
        namespace: "n",
        name: "l",
        identity: "me",
      });
      const claim = new LeaseClaim({ world, lock, leaseDurationMs: 15_000, fence, onSlowPath: () => {} });
      const { signal } = new AbortController();
      assertEquals([await claim.hold(signal, { isLeader: false }), fence.isOpen], ["failed", false], `${lie}`);
      isHonest = true;
      assertEquals([await claim.hold(signal, { isLeader: false }), fence.isOpen], ["held", true]);
    }
  }
});

/** A world and a client of an API server that answers each review with `status`. */
function asking(status: unknown) {
  const world = new FakeWorld();
  const { signal } = new AbortController();
  return { world, signal, client: testClient([() => Response.json({ status })]).client };
}

Deno.test("a review with a field of another type lets nobody in", async () => {
  const user = { username: "jane", groups: ["system:masters"] };
  const holders = [
    { authenticated: "false", user },
    { authenticated: "true", user },
    { authenticated: 1, user },
    { authenticated: {}, user },
    { authenticated: true, user: ["jane"] },
    { authenticated: true, user: { ...user, username: 5 } },
    { authenticated: true, user: { ...user, groups: "system:masters" } },
    { authenticated: true, user: { ...user, groups: [["system:masters"]] } },
    { authenticated: true, user: { ...user, extra: { a: "b" } } },
    [],
    "yes",
  ];
  for (const holder of holders) {
    const reviews = new TokenReviews(asking(holder), { ttlMs: 0 });
    const got = await reviews.userOf("t", "s").catch((error) => error);
    assert(got === undefined || got instanceof Error, JSON.stringify([holder, got]));
  }
  const verdicts = [
    { allowed: "true" },
    { allowed: 1 },
    { allowed: true, denied: "true" },
    { allowed: true, denied: 1 },
    { allowed: true, reason: { a: 1 } },
    [true],
    null,
    "allowed",
  ];
  for (const verdict of verdicts) {
    const reviews = new AccessReviews(asking(verdict), { allowTtlMs: 1000, denyTtlMs: 1000 });
    const asked = reviews.ask({ name: "jane", groups: [] }, { verb: "get", path: "/metrics" }, "s");
    const got = await asked.catch((error) => error);
    assert(got instanceof Error || got.isAllowed === false, JSON.stringify([verdict, got]));
    assert(Number.isFinite(reviews.cachedBytes));
  }
});

Deno.test("a token that cannot be sent, or is not a token, is not used", async () => {
  const at = "2026-01-01T01:00:00Z";
  const lies = [
    { token: "a\r\nX-Admin: 1", expirationTimestamp: at },
    { token: "a b", expirationTimestamp: at },
    { token: "x".repeat(10 * MIB), expirationTimestamp: at },
    { token: { a: 1 }, expirationTimestamp: at },
    { token: "good", expirationTimestamp: "soon" },
    { token: "good", expirationTimestamp: 5 },
    null,
  ];
  for (const lie of lies) {
    const account = { kind: "ServiceAccount", metadata: { namespace: "kube-system", name: "a" } };
    const { world, client, seen } = testClient([
      ({ path }) => Response.json(path.includes("/token") ? { status: lie } : account),
    ]);
    const { signal } = new AbortController();
    const issued = outcomeOf(issueToken({ client, name: "a", clock: world.clock, log: world.log, signal }));
    await world.clock.advance(10_000);
    assertEquals([connectionFailureOf(issued.error), seen.length], ["other", 8]);
    assert(!JSON.stringify(world.log.lines).includes("X-Admin"));
  }
});

Deno.test("garbage where the cluster's authorities are published is an error that nothing dies of", async () => {
  const lies = [
    { "client-ca-file": 5 },
    { "client-ca-file": "-----BEGIN CERTIFICATE-----".repeat(20_000) },
    { "requestheader-client-ca-file": "x", "requestheader-username-headers": "{" },
    "data",
  ];
  const options = { clientCaFile: "", requestHeader: { caFile: "" }, skipLookup: false, tolerateLookupFailure: true };
  for (const data of lies) {
    const { world, client } = testClient([() => Response.json({ data })]);
    const trust = await Trust.load(world, options as unknown as Parameters<typeof Trust.load>[1], client);
    assertEquals([trust.trusted.clients, trust.trusted.frontProxy], [undefined, undefined]);
  }
});
