import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { PODS } from "../../../src/api/mod.ts";
import {
  DEFAULT_BACKOFF,
  DEFAULT_RETRY,
  isExpired,
  retryOnConflict,
  SimpleClientBuilder,
  StatusError,
  TransportClientBuilder,
  userAgent,
  waitForApiServer,
} from "../../../src/client/mod.ts";
import { outcomeOf, scripted, SERVER, testClient } from "./test_server.ts";

const page = (names: string[], next?: string, resourceVersion = "10") => () =>
  Response.json({
    metadata: { resourceVersion, continue: next },
    items: names.map((name) => ({ metadata: { name } })),
  });
const expired = () =>
  Response.json({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 }, { status: 410 });

const FRESH = { resourceVersion: "0", resourceVersionMatch: "NotOlderThan" } as const;

Deno.test("listPages: the list's resourceVersion is that of the first page; pages after the first are requested by their token alone, without resourceVersion and match", async () => {
  const { client, seen } = testClient([
    page(["a", "b"], "T1", "10"),
    page(["c"], "T2", "11"),
    page(["d"], undefined, "12"),
  ]);
  const list = await client.listPages(PODS, { namespace: "x", labelSelector: "l", ...FRESH });
  assertEquals(list.items.map((pod) => pod.metadata?.name), ["a", "b", "c", "d"]);
  assertEquals(list.metadata, { resourceVersion: "10" });
  assertEquals(seen.map(({ path }) => path.split("?")[1]), [
    "labelSelector=l&limit=500&resourceVersion=0&resourceVersionMatch=NotOlderThan",
    "continue=T1&labelSelector=l&limit=500",
    "continue=T2&labelSelector=l&limit=500",
  ]);
});

Deno.test("listPages: a token that expired on a later page leads to one full list without a limit", async () => {
  const { client, seen } = testClient([page(["a"], "T1"), expired, page(["a", "b"], undefined, "20")]);
  const list = await client.listPages(PODS, { resourceVersion: "5", limit: 1 });
  assertEquals([list.items.length, list.metadata.resourceVersion], [2, "20"]);
  assertEquals(seen[2].path, "/api/v1/pods?resourceVersion=5");
});

Deno.test("listPages: a token that expired on a later page leads to one full list without a limit; on the first page it is an error", async () => {
  const { client, seen } = testClient([expired]);
  const error = await assertRejects(() => client.listPages(PODS));
  assertEquals([isExpired(error), seen.length], [true, 1]);
});

const conflict = () => new StatusError({ code: 409, reason: "Conflict" });

for (
  const [name, retry, delaysMs] of [
    ["DEFAULT_RETRY", DEFAULT_RETRY, [10, 10, 10, 10]],
    ["DEFAULT_BACKOFF", DEFAULT_BACKOFF, [10, 50, 250]],
  ] as const
) {
  Deno.test(`retryOnConflict with ${name} tries as often and as far apart as upstream`, async () => {
    const world = new FakeWorld();
    const atMs: number[] = [];
    const done = outcomeOf(retryOnConflict(world, () => {
      atMs.push(world.clock.monotonicMs());
      return Promise.reject(conflict());
    }, { retry }));
    await world.clock.advance(10_000);
    assertInstanceOf(done.error, StatusError);
    const seen = atMs.slice(1).map((ms, i) => ms - atMs[i]);
    assertEquals(seen.length, delaysMs.length);
    seen.forEach((ms, i) => assert(ms >= delaysMs[i] && ms < delaysMs[i] * 1.1, `${ms} is not ${delaysMs[i]} + 10 %`));
  });
}

Deno.test("retryOnConflict returns the first success, and throws anything but a conflict at once", async () => {
  const world = new FakeWorld();
  let calls = 0;
  const done = outcomeOf(
    retryOnConflict(world, () => ++calls < 3 ? Promise.reject(conflict()) : Promise.resolve("ok")),
  );
  await world.clock.advance(100);
  assertEquals([done.value, calls], ["ok", 3]);
  await assertRejects(() => retryOnConflict(world, () => Promise.reject(new TypeError("no"))), TypeError);
});

Deno.test("retryOnConflict stops when the signal aborts", async () => {
  const world = new FakeWorld();
  const stop = new AbortController();
  const done = outcomeOf(retryOnConflict(world, () => Promise.reject(conflict()), { signal: stop.signal }));
  await world.clock.advance(5);
  stop.abort(new Error("stop"));
  await world.clock.advance(0);
  assertEquals([(done.error as Error).message, world.clock.pendingTimers], ["stop", 0]);
});

Deno.test("waitForApiServer asks each second until the server is healthy", async () => {
  const unready = new Response("etcd failed", { status: 500 });
  const { world, client, seen } = testClient([
    new Deno.errors.ConnectionRefused("x"),
    unready,
    unready,
    new Response("ok"),
  ]);
  const done = outcomeOf(waitForApiServer({ world, client }));
  await world.clock.advance(2999);
  assertEquals(done.isSettled, false);
  await world.clock.advance(1);
  assertEquals([done.isSettled, done.error, seen.length], [true, undefined, 4]);
  assertMatch(seen[0].path, /^\/healthz/);
});

Deno.test("waitForApiServer fails after ten seconds with the last answer, also when the server never answers", async () => {
  const { world, client } = testClient([new Response("etcd failed", { status: 500 })]);
  const done = outcomeOf(waitForApiServer({ world, client }));
  await world.clock.advance(10_000);
  assertStringIncludes((done.error as Error).message, 'an error on the server ("etcd failed")');

  const silent = testClient([() => new Promise<Response>(() => {})]);
  const never = outcomeOf(waitForApiServer(silent));
  await silent.world.clock.advance(10_000);
  assertStringIncludes((never.error as Error).message, "no healthy answer from /healthz within 10 s");
  assertEquals(silent.world.clock.pendingTimers, 0);
});

Deno.test("waitForApiServer stops when the signal aborts", async () => {
  const { world, client } = testClient([new Response("", { status: 500 })]);
  const stop = new AbortController();
  const done = outcomeOf(waitForApiServer({ world, client, signal: stop.signal }));
  await world.clock.advance(500);
  stop.abort(new Error("stop"));
  await world.clock.advance(0);
  assertEquals((done.error as Error).message, "stop");
});

Deno.test("TransportClientBuilder: each client has its own token bucket, so that one controller's burst delays no other", async () => {
  const world = new FakeWorld();
  const { transport, seen } = scripted(() => Response.json({}));
  const clients = new TransportClientBuilder({
    program: "kube-controller-manager",
    world,
    transport,
    server: SERVER,
    qps: 1,
    burst: 2,
  });
  const [first, second, wide] = [
    clients.client("deployment-controller"),
    clients.client("job-controller"),
    clients.client("namespace-controller", { qpsFactor: 20, burstFactor: 3 }),
  ];
  const get = (client: typeof first) => void client.get(PODS, { namespace: "x", name: "a" });
  for (let i = 0; i < 10; i++) [first, second, wide].forEach(get);
  await world.clock.advance(0);
  const sent = (name: string) => seen.filter(({ headers }) => headers.get("user-agent")!.endsWith(`/${name}`)).length;
  assertEquals(["deployment-controller", "job-controller", "namespace-controller"].map(sent), [2, 2, 6]);
  await world.clock.advance(200);
  assertEquals(["deployment-controller", "job-controller", "namespace-controller"].map(sent), [2, 2, 10]);
  await world.clock.advance(60_000);
});

Deno.test("TransportClientBuilder: the name appears in the User-Agent only", async () => {
  const world = new FakeWorld();
  const { transport, seen } = scripted(() => Response.json({}));
  const clients = new TransportClientBuilder({ program: "kubeloop", world, transport, server: SERVER });
  for (const name of ["job-controller", "cronjob-controller"]) {
    await clients.client(name).create(PODS, { metadata: { namespace: "x", name: "a" } });
  }
  const [job, cronJob] = seen.map(({ headers, ...rest }) => [JSON.stringify(rest), ...headers].map(String));
  const [ofJob, ofCronJob] = [
    job.filter((line) => !cronJob.includes(line)),
    cronJob.filter((line) => !job.includes(line)),
  ];
  assertEquals([ofJob.length, ofCronJob.length], [1, 1]);
  assertMatch(ofJob[0], /^user-agent,.*\/job-controller$/);
  assertMatch(ofCronJob[0], /^user-agent,.*\/cronjob-controller$/);
});

Deno.test("SimpleClientBuilder sends to the server of its configuration, with a default rate of 20 and a burst of 30", async () => {
  const world = new FakeWorld();
  const { transport, seen } = scripted(() => Response.json({}));
  const client = new SimpleClientBuilder({
    program: "kube-controller-manager",
    world,
    transport,
    config: { server: SERVER },
  }).client("x", {
    timeoutMs: 5000,
  });
  for (let i = 0; i < 40; i++) void client.request("GET", "/version").catch(() => {});
  await world.clock.advance(0);
  assertEquals([seen.length, seen[0].path], [30, "/version?timeout=5s"]);
  await world.clock.advance(100);
  assertEquals(seen.length, 32);
  await world.clock.advance(60_000);
});

Deno.test("userAgent starts with the program's name, since that becomes managedFields[].manager", () => {
  assertMatch(
    userAgent("x", { program: "manager" }),
    /^manager\/v1\.36\.0 \(\w+\/(amd64|arm64)\) kubernetes\/unknown\/x$/,
  );
  assertMatch(
    userAgent("x", { program: "kubeloop", version: "v2.0.0-alpha.1", commit: "0123456789" }),
    /^kubeloop\/v2\.0\.0 .* kubernetes\/0123456\/x$/,
  );
});
