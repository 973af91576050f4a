import { assert, assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { LeaderElector, LeaseLock } from "../../../src/election/mod.ts";
import { type Around, FakeLeaseApi } from "./lease_api.ts";

/** Times of 2026-01-01, where the fake wall clock starts. */
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().replace("Z", "000Z");
const OLD = "2025-12-31T23:00:00.000000Z";

function setUp(
  { api = new FakeLeaseApi(), identity = "me", world = new FakeWorld(), whenReleased, ...around }: Around & {
    api?: FakeLeaseApi;
    identity?: string;
    world?: FakeWorld;
    whenReleased?: () => Promise<void>;
  } = {},
) {
  const news: string[] = [];
  const stop = new AbortController();
  const elector = new LeaderElector({
    world,
    lock: new LeaseLock({ client: api.client(around), namespace: "kube-system", name: "lock", identity }),
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    whenReleased,
    onStartedLeading: () => void news.push("started"),
    onStoppedLeading: () => void news.push("stopped"),
    onNewLeader: (leader) => void news.push(`leader ${leader}`),
  });
  const running = elector.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  return { api, world, elector, news, stop, running, end };
}

Deno.test("LeaderElector creates a Lease that is missing and renews it at once", async () => {
  const { api, world, elector, news, end } = setUp();
  await world.clock.advance(0);
  assertEquals(api.calls, ["get 404", "create", "update"]);
  assertEquals(api.lease?.spec, {
    holderIdentity: "me",
    leaseDurationSeconds: 15,
    acquireTime: at(0),
    renewTime: at(0),
    leaseTransitions: 0,
  });
  assertEquals([elector.isLeader, elector.mayWrite()], [true, true]);
  assertEquals(news, ["leader me", "started"]);
  await end();
});

Deno.test("LeaderElector by its LeaseClaim: times in the Lease are never compared with a clock: it waits a full duration from when it first saw it", async () => {
  const api = new FakeLeaseApi();
  api.put({ holderIdentity: "b", leaseDurationSeconds: 15, acquireTime: OLD, renewTime: OLD, leaseTransitions: 4 });
  const { world, elector, news, end } = setUp({ api });
  await world.clock.advance(14_999);
  assertEquals(elector.isLeader, false);
  await world.clock.advance(4401);
  assertEquals(elector.isLeader, true);
  assertEquals(api.lease?.spec?.leaseTransitions, 5);
  assert(api.lease!.spec!.acquireTime! >= at(15));
  assertEquals(news, ["leader b", "leader me", "started"]);
  await end();
});

Deno.test("LeaderElector: a lease is valid until its own duration has passed, not the configured one", async () => {
  const api = new FakeLeaseApi();
  api.put({ holderIdentity: "b", leaseDurationSeconds: 60, renewTime: OLD });
  const { world, elector, end } = setUp({ api });
  await world.clock.advance(59_999);
  assertEquals(elector.isLeader, false);
  await world.clock.advance(4401);
  assertEquals(elector.isLeader, true);
  await end();
});

Deno.test("LeaderElector by its LeaseClaim: a valid lease of somebody else is never taken", async () => {
  const api = new FakeLeaseApi();
  const { world, elector, end } = setUp({ api });
  for (let i = 0; i < 100; i++) {
    api.put({ holderIdentity: "b", leaseDurationSeconds: 15, renewTime: at(i * 2), leaseTransitions: 0 });
    await world.clock.advance(i === 0 ? 0 : 2000);
    assertEquals(elector.isLeader, false);
  }
  assertEquals(api.calls.filter((call) => call !== "get"), []);
  await end();
});

Deno.test("LeaderElector sees a renewal within the same second", async () => {
  const api = new FakeLeaseApi();
  api.put({ holderIdentity: "b", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.100000Z" });
  const { world, elector, end } = setUp({ api });
  await world.clock.advance(10_000);
  api.put({ holderIdentity: "b", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.900000Z" });
  await world.clock.advance(14_999);
  assertEquals(elector.isLeader, false);
  await end();
});

Deno.test("LeaderElector: a released lease is taken at once, and the transitions grow by one", async () => {
  const api = new FakeLeaseApi();
  const spec = { holderIdentity: "", leaseDurationSeconds: 1, acquireTime: OLD, renewTime: OLD, leaseTransitions: 2 };
  api.put(spec);
  const { world, end } = setUp({ api });
  await world.clock.advance(0);
  assertEquals([api.lease?.spec?.leaseTransitions, api.lease?.spec?.acquireTime], [3, at(0)]);
  await end();
});

Deno.test("LeaderElector reads a Lease without a spec as a free one", async () => {
  const api = new FakeLeaseApi();
  api.put({});
  const { world, elector, end } = setUp({ api });
  await world.clock.advance(0);
  assertEquals([elector.isLeader, api.lease?.spec?.leaseTransitions], [true, 1]);
  await end();
});

Deno.test("LeaderElector keeps acquire time and transitions of a Lease that names it already", async () => {
  const api = new FakeLeaseApi();
  api.put({ holderIdentity: "me", leaseDurationSeconds: 15, acquireTime: OLD, renewTime: OLD, leaseTransitions: 7 });
  const { world, end } = setUp({ api });
  await world.clock.advance(0);
  assertEquals(api.lease?.spec, {
    holderIdentity: "me",
    leaseDurationSeconds: 15,
    acquireTime: OLD,
    renewTime: at(0),
    leaseTransitions: 7,
  });
  await end();
});

Deno.test("LeaderElector: tries to acquire are jittered: of two that create at once one fails and tries again later", async () => {
  const world = new FakeWorld();
  const api = new FakeLeaseApi();
  const tries: number[] = [];
  const a = setUp({ api, world, identity: "a" });
  const b = setUp({
    api,
    world,
    identity: "b",
    before: (verb) => void (verb === "get" && tries.push(world.clock.monotonicMs())),
  });
  await world.clock.advance(0);
  assertEquals([a.elector.isLeader, b.elector.isLeader], [true, false]);
  assertEquals(api.calls.filter((call) => call.startsWith("create")), ["create", "create 409"]);
  await world.clock.advance(100_000);
  const pauses = tries.slice(1).map((ms, i) => ms - tries[i]);
  assert(pauses.every((ms) => ms >= 2000 && ms < 4400), `${pauses}`);
  assert(new Set(pauses).size > 10, "the pauses differ");
  await a.end();
  await b.end();
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("LeaderElector: onStoppedLeading is called at the end of run, even if it never led, and nothing is written", async () => {
  const api = new FakeLeaseApi();
  api.put({ holderIdentity: "b", leaseDurationSeconds: 15, renewTime: OLD });
  const { world, news, end } = setUp({ api });
  await world.clock.advance(5000);
  await end();
  assertEquals([news, world.clock.pendingTimers], [["leader b", "stopped"], 0]);
  assert(api.calls.every((call) => call === "get"));
});

Deno.test("LeaderElector with a signal that aborted before sends nothing", async () => {
  const api = new FakeLeaseApi();
  const stopped: string[] = [];
  const elector = new LeaderElector({
    world: new FakeWorld(),
    lock: new LeaseLock({ client: api.client(), namespace: "kube-system", name: "lock", identity: "me" }),
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    onStartedLeading: () => void stopped.push("started"),
    onStoppedLeading: () => void stopped.push("stopped"),
  });
  await elector.run(AbortSignal.abort());
  assertEquals([stopped, api.calls], [["stopped"], []]);
});

Deno.test("LeaderElector goes on trying while the server hangs or refuses", async () => {
  let broken = true;
  const { world, elector, end } = setUp({
    before: () => broken ? new Promise<void>(() => {}) : undefined,
  });
  await world.clock.advance(60_000);
  assertEquals(elector.isLeader, false);
  broken = false;
  await world.clock.advance(15_000);
  assertEquals(elector.isLeader, true);
  await end();
});

Deno.test("LeaderElector says nothing of a try that was stopped", async () => {
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const { world, end } = setUp({ after: () => answer });
  await world.clock.advance(0);
  const ended = end();
  resolve();
  await ended;
  await world.clock.advance(0);
  assertEquals(world.log.lines.filter(({ severity }) => severity === "error"), []);
});

/** A lease that is given up once, when `release` is resolved, and who has waited for that. */
function oneRelease() {
  const release = Promise.withResolvers<void>();
  const waits: Promise<void>[] = [];
  const whenReleased = () => {
    const wait = waits.length === 0 ? release.promise : new Promise<void>(() => {});
    waits.push(wait);
    return wait;
  };
  return { release, waits, whenReleased };
}

Deno.test("LeaderElector waits for one release at a time, however often it tries meanwhile", async () => {
  const api = new FakeLeaseApi();
  const held = { holderIdentity: "b", leaseDurationSeconds: 15, acquireTime: OLD, leaseTransitions: 4 };
  const { release, waits, whenReleased } = oneRelease();
  const { world, elector, end } = setUp({ api, whenReleased });
  for (let minute = 0; minute < 60; minute++) {
    for (let i = 0; i < 6; i++) {
      api.put({ ...held, renewTime: at(minute * 60 + i * 10) });
      await world.clock.advance(10_000);
    }
  }
  assertEquals([waits.length, elector.isLeader], [1, false]);
  api.put({ ...held, holderIdentity: "", renewTime: at(3600) });
  release.resolve();
  await world.clock.advance(0);
  assertEquals(elector.isLeader, true);
  await end();
});

Deno.test("LeaderElector tries again at once when the lease is given up during a try that found it held", async () => {
  const api = new FakeLeaseApi();
  api.put({ holderIdentity: "b", leaseDurationSeconds: 15, acquireTime: OLD, renewTime: OLD });
  const { release, whenReleased } = oneRelease();
  let delayMs = 0;
  const { world, elector, end } = setUp({
    api,
    whenReleased,
    after: () => delayMs ? new Promise<void>((resolve) => world.clock.setTimer(delayMs, resolve)) : undefined,
  });
  await world.clock.advance(0);
  delayMs = 500;
  while (api.calls.length < 2) await world.clock.advance(100);
  api.put({ holderIdentity: "", leaseDurationSeconds: 1, renewTime: at(5), leaseTransitions: 4 });
  release.resolve();
  await world.clock.advance(500);
  assertEquals([api.calls.slice(0, 2), elector.isLeader], [["get", "get"], false], "the answer was under way already");
  delayMs = 0;
  await world.clock.advance(500);
  assertEquals(elector.isLeader, true);
  await end();
});
