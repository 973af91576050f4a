import { assert, assertEquals } from "@std/assert";
import { type Clock, FakeWorld, MetricsRegistry, type World } from "../../../src/base/mod.ts";
import { LeaderElector, type LeaderElectorOptions, LeadershipLostError, LeaseLock } from "../../../src/election/mod.ts";
import { countListeners } from "../base/listeners.ts";
import { type Around, failure, FakeLeaseApi, type Verb } from "./lease_api.ts";
import { ProcessClock } from "./process_clock.ts";

const STEADY = { holderIdentity: "b", leaseDurationSeconds: 15, renewTime: "x" };

/** An elector that leads; `api.calls` is empty. */
async function leader({ clock, options = {}, ...around }: Around & {
  clock?: (world: FakeWorld) => Clock;
  options?: Partial<LeaderElectorOptions>;
} = {}) {
  const world = new FakeWorld();
  const api = new FakeLeaseApi();
  const metrics = new MetricsRegistry();
  const news: string[] = [];
  const stop = new AbortController();
  let leading: AbortSignal | undefined;
  const worldOfElector: World = { ...world, clock: clock?.(world) ?? world.clock };
  const elector: LeaderElector = new LeaderElector({
    world: worldOfElector,
    lock: new LeaseLock({ client: api.client(around), namespace: "kube-system", name: "lock", identity: "me" }),
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    onStartedLeading: (signal) => void (leading = signal),
    onStoppedLeading: () => void news.push(`stopped, signal aborted: ${leading?.aborted}`),
    metrics,
    ...options,
  });
  const running = elector.run(stop.signal).then((how) => news.push(how));
  await world.clock.advance(0);
  assertEquals([elector.isLeader, elector.mayWrite()], [true, true]);
  api.calls.length = 0;
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  return { world, api, metrics, news, stop, elector, running, end, signal: () => leading! };
}

/** Fails calls while `on`. */
function outage(error: unknown = new TypeError("connection refused")) {
  const state = { on: false, verbs: ["get", "create", "update"] as readonly Verb[] };
  const before = (verb: Verb) => {
    if (state.on && state.verbs.includes(verb)) throw error;
  };
  return { state, before };
}

Deno.test("LeaderElector by its LeaseClaim: a renewal keeps the acquire time and the transitions, needs no GET, and comes every retry period", async () => {
  const { world, api, end } = await leader();
  const before = api.lease!.spec!;
  await world.clock.advance(1999);
  assertEquals(api.calls, []);
  await world.clock.advance(4001);
  assertEquals(api.calls, ["update", "update", "update"]);
  assertEquals(api.lease?.spec, { ...before, renewTime: "2026-01-01T00:00:06.000000Z" });
  await end();
});

Deno.test("LeaderElector falls back to GET and PUT after a conflict, within the same try", async () => {
  const { world, api, metrics, elector, end } = await leader();
  const transitions = api.lease!.spec!.leaseTransitions;
  api.put(api.lease!.spec!, { labels: { touched: "by somebody" } });
  await world.clock.advance(2000);
  assertEquals(api.calls, ["update 409", "get", "update"]);
  assertEquals([elector.isLeader, api.lease?.spec?.leaseTransitions], [true, transitions]);
  assert(metrics.render().includes('leader_election_slowpath_total{name="lock"} 1\n'));
  await end();
});

Deno.test("LeaderElector: a leader that could not renew for renewDeadlineMs stops leading, 10 s after the failing renewal began", async () => {
  const { state, before } = outage();
  const { world, news, elector, signal, running } = await leader({ before });
  await world.clock.advance(500);
  state.on = true;
  await world.clock.advance(11_499);
  assertEquals([elector.isLeader, signal().aborted], [true, false]);
  await world.clock.advance(1); // the renewal began at 2 s
  assertEquals([elector.isLeader, elector.mayWrite(), signal().aborted], [false, false, true]);
  assertEquals(news, ["stopped, signal aborted: true", "lost"]);
  assert(signal().reason instanceof LeadershipLostError);
  await running;
  await world.clock.advance(100_000);
  assertEquals(elector.isLeader, false, "does not try again by itself");
});

Deno.test("LeaderElector survives 7 s of failures", async () => {
  const { state, before } = outage();
  const { world, news, elector, end } = await leader({ before });
  await world.clock.advance(1000);
  state.on = true;
  await world.clock.advance(8000);
  state.on = false;
  await world.clock.advance(3000);
  assertEquals([elector.isLeader, elector.mayWrite(), news], [true, true, []]);
  await end();
});

Deno.test("LeaderElector loses when the server hangs", async () => {
  let hangs = false;
  const { world, elector, running } = await leader({ before: () => hangs ? new Promise<void>(() => {}) : undefined });
  hangs = true;
  await world.clock.advance(12_000);
  assertEquals(elector.isLeader, false);
  await running;
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("LeaderElector does not count a renewal whose answer comes after the deadline", async () => {
  let delayMs = 0;
  const { world, api, elector, running } = await leader({
    after: () => delayMs ? new Promise<void>((resolve) => world.clock.setTimer(delayMs, resolve)) : undefined,
  });
  delayMs = 11_000;
  await world.clock.advance(12_000);
  assertEquals(elector.isLeader, false);
  await running;
  await world.clock.advance(20_000);
  assertEquals([elector.isLeader, elector.mayWrite()], [false, false]);
  assertEquals(api.calls[0], "update", "the server had renewed it");
});

Deno.test("LeaderElector puts back a Lease that was deleted, with its acquire time and transitions", async () => {
  const { world, api, elector, end } = await leader();
  const before = api.lease!.spec!;
  await world.clock.advance(2000);
  api.calls.length = 0;
  api.lease = undefined;
  await world.clock.advance(2000);
  assertEquals(api.calls, ["update 404", "get 404", "create"]);
  assertEquals(elector.isLeader, true);
  assertEquals(api.lease!.spec, { ...before, renewTime: "2026-01-01T00:00:04.000000Z" });
  await end();
});

Deno.test("LeaderElector: a leader stops leading at once if its lease names somebody else", async () => {
  const { world, api, elector, signal, running } = await leader();
  await world.clock.advance(1000);
  api.put(STEADY);
  api.calls.length = 0;
  await world.clock.advance(1000);
  assertEquals([elector.isLeader, elector.mayWrite()], [false, false]);
  assertEquals(signal().reason.message, 'Leadership on lease "kube-system/lock" was lost: it is held by "b" now');
  assertEquals(api.calls, ["update 409", "get"]);
  await running;
});

Deno.test("LeaderElector: a leader stops leading at once if its lease names nobody, and says so", async () => {
  const { world, api, elector, signal, running } = await leader();
  api.put({ holderIdentity: "", leaseDurationSeconds: 1 });
  api.calls.length = 0;
  await world.clock.advance(2000);
  assertEquals([elector.isLeader, api.calls], [false, ["update 409", "get"]]);
  assertEquals(signal().reason.message, 'Leadership on lease "kube-system/lock" was lost: it is held by nobody now');
  await running;
});

Deno.test("LeaderElector does not take back a lease that others held and released while it was frozen", async () => {
  let process: ProcessClock | undefined;
  const { world, api, elector, news, running } = await leader({
    clock: (world) => process = new ProcessClock(world.clock),
  });
  process!.freeze(60_000);
  await world.clock.advance(59_000);
  api.put({ holderIdentity: "", leaseDurationSeconds: 1, renewTime: "x", leaseTransitions: 1 });
  api.calls.length = 0;
  await world.clock.advance(1000);
  assertEquals([elector.isLeader, elector.mayWrite(), api.calls], [false, false, []]);
  await running;
  assertEquals(news.at(-1), "lost");
});

Deno.test("LeaderElector goes on leading whatever its wall clock shows, and refuses writes for no more than a look", async () => {
  let process: ProcessClock | undefined;
  const { world, elector, end } = await leader({ clock: (world) => process = new ProcessClock(world.clock) });
  for (const skewMs of [3_600_000, -3_600_000, 0]) {
    process!.wallSkewMs = skewMs;
    await world.clock.advance(500);
    for (let i = 0; i < 20; i++) {
      await world.clock.advance(333);
      assertEquals([elector.isLeader, elector.mayWrite()], [true, true]);
    }
  }
  await end();
});

Deno.test("LeaderElector by its Fence: it reads the clocks when asked, so that mayWrite is false as soon as a frozen process wakes, before any timer", async () => {
  let process: ProcessClock | undefined;
  const { world, api, elector, end } = await leader({ clock: (world) => process = new ProcessClock(world.clock) });
  await world.clock.advance(1000);
  process!.freeze(30_000);
  await world.clock.advance(13_999); // renewed last at 0
  assertEquals(elector.mayWrite(), true);
  await world.clock.advance(1);
  assertEquals([elector.isLeader, elector.mayWrite()], [true, false], "refuses although it knows of no loss");
  api.put({ holderIdentity: "b", leaseDurationSeconds: 15, renewTime: "x" });
  await world.clock.advance(20_000);
  assertEquals(elector.mayWrite(), false);
  await end();
});

Deno.test("LeaderElector: nor does a leader go on that did not run for the renew deadline, though nobody took its lease", async () => {
  let process: ProcessClock | undefined;
  const { world, api, elector, signal, running } = await leader({
    clock: (world) => process = new ProcessClock(world.clock),
  });
  process!.freeze(12_000);
  await world.clock.advance(12_000);
  assertEquals([elector.isLeader, elector.mayWrite(), signal().aborted, api.calls], [false, false, true, []]);
  await running;
});

Deno.test("LeaderElector goes on after it did not run for less than the renew deadline", async () => {
  let process: ProcessClock | undefined;
  const { world, api, elector, end } = await leader({ clock: (world) => process = new ProcessClock(world.clock) });
  process!.freeze(11_999);
  await world.clock.advance(11_999);
  assertEquals([elector.isLeader, elector.mayWrite(), api.calls], [true, true, ["update"]]);
  await end();
});

Deno.test("LeaderElector counts no renewal that it hears of after it did not run for the renew deadline", async () => {
  let process: ProcessClock | undefined;
  const { world, api, elector, running } = await leader({
    clock: (world) => process = new ProcessClock(world.clock),
    after: () => process?.awake(),
  });
  await world.clock.advance(1999);
  process!.freeze(14_000);
  await world.clock.advance(1);
  assertEquals(api.calls, []);
  process = undefined; // its answers come at once
  await world.clock.advance(14_000);
  assertEquals(elector.isLeader, false);
  await running;
});

Deno.test("LeaderElector: a machine that was suspended for the lease writes nothing until a renewal succeeds, which is tried at once", async () => {
  let process: ProcessClock | undefined;
  let isHeldUp = false;
  const { world, api, elector, end } = await leader({
    clock: (world) => process = new ProcessClock(world.clock),
    before: () => isHeldUp ? new Promise<void>((resolve) => world.clock.setTimer(100, resolve)) : undefined,
  });
  await world.clock.advance(2100);
  api.calls.length = 0;
  isHeldUp = true;
  process!.suspend(60_000);
  await world.clock.advance(60_000);
  assertEquals([elector.isLeader, elector.mayWrite()], [true, false]);
  await world.clock.advance(400); // it looks twice a second
  assertEquals([elector.mayWrite(), api.calls], [false, []]);
  await world.clock.advance(100);
  assertEquals([elector.mayWrite(), api.calls], [true, ["update"]]);
  isHeldUp = false;
  await end();
});

Deno.test("LeaderElector: a machine that was suspended while another took the lease never writes again", async () => {
  let process: ProcessClock | undefined;
  const { world, api, elector, running } = await leader({ clock: (world) => process = new ProcessClock(world.clock) });
  process!.suspend(60_000);
  await world.clock.advance(30_000);
  api.put(STEADY);
  await world.clock.advance(30_000);
  for (let i = 0; i < 10; i++) {
    assertEquals(elector.mayWrite(), false);
    await world.clock.advance(100);
  }
  await running;
});

/** What others make of a Lease, and how its leader fares. */
const CHANGES = [
  { what: "deleted", change: undefined, leads: true },
  { what: "in other hands", change: STEADY, leads: false },
  { what: "in nobody's hands", change: { holderIdentity: "", leaseDurationSeconds: 15 }, leads: false },
  { what: "with an old renew time", change: { ...STEADY, holderIdentity: "me" }, leads: true },
  { what: "with another duration", change: { holderIdentity: "me", leaseDurationSeconds: 1 }, leads: true },
];

for (const { what, change, leads } of CHANGES) {
  Deno.test(`LeaderElector: a Lease that is seen deleted or edited makes mayWrite() false at once, until a renewal succeeds: ${what}`, async () => {
    const gate: { open?: () => void; isShut: boolean } = { isShut: false };
    const { world, api, elector, signal, stop, running } = await leader({
      before: () => gate.isShut ? new Promise<void>((resolve) => gate.open = resolve) : undefined,
    });
    if (change) api.put(change);
    else api.lease = undefined;
    gate.isShut = true;
    elector.observe(api.lease);
    assertEquals([elector.isLeader, elector.mayWrite()], [true, false]);
    await world.clock.advance(0);
    assertEquals(elector.mayWrite(), false, "a renewal is on its way");
    gate.isShut = false;
    gate.open?.();
    await world.clock.advance(0);
    assertEquals([elector.isLeader, elector.mayWrite(), signal().aborted], [leads, leads, !leads]);
    assertEquals(api.lease?.spec?.leaseDurationSeconds, 15);
    stop.abort();
    await running;
  });
}

Deno.test("LeaderElector: a renewal that was sent before the Lease was seen deleted opens nothing", async () => {
  const gate: { open?: () => void; isShut: boolean } = { isShut: false };
  const { world, api, elector, end } = await leader({
    after: () => gate.isShut ? new Promise<void>((resolve) => gate.open = resolve) : undefined,
  });
  gate.isShut = true;
  await world.clock.advance(2000);
  assertEquals(api.calls, ["update"], "the server has renewed it, and the answer is under way");
  api.lease = undefined;
  elector.observe(undefined);
  const refused = [elector.mayWrite()];
  gate.isShut = false;
  let isDone = false;
  const answered = world.clock.advance(0).then(() => isDone = true);
  gate.open!();
  while (!isDone && api.calls.length < 3) {
    refused.push(elector.mayWrite());
    await Promise.resolve();
  }
  await answered;
  assertEquals(new Set(refused), new Set([false]));
  assertEquals([elector.mayWrite(), api.calls], [true, ["update", "update 404", "get 404", "create"]]);
  await end();
});

Deno.test("LeaderElector is not disturbed by seeing its own Lease, however late, or with other labels", async () => {
  const { world, api, elector, end } = await leader();
  const earlier = structuredClone(api.lease!);
  await world.clock.advance(4000);
  api.put(api.lease!.spec!, { labels: { touched: "by somebody" } });
  const before = api.calls.length;
  for (const lease of [earlier, { ...earlier, spec: STEADY }, api.lease!]) elector.observe(lease);
  await world.clock.advance(0);
  assertEquals([elector.mayWrite(), api.calls.length], [true, before]);
  assertEquals(world.log.lines.filter(({ severity }) => severity === "warning"), []);
  await end();
});

Deno.test("LeaderElector: mayWrite is true for less than the lease duration since the last successful renewal was sent", async () => {
  let delayMs = 0;
  const { world, elector, end } = await leader({
    after: () => delayMs ? new Promise<void>((resolve) => world.clock.setTimer(delayMs, resolve)) : undefined,
  });
  delayMs = 9000;
  await world.clock.advance(11_000); // sent at 2 s, answered at 11 s; the next is sent at 13 s and answered at 22 s
  await world.clock.advance(5999);
  assertEquals(elector.mayWrite(), true);
  await world.clock.advance(1); // 17 s
  assertEquals([elector.isLeader, elector.mayWrite()], [true, false]);
  await world.clock.advance(5000); // 22 s
  assertEquals(elector.mayWrite(), true);
  delayMs = 0;
  await end();
});

Deno.test("LeaderElector.mayWrite counts the whole seconds that others see in the Lease", async () => {
  const { state, before } = outage();
  const { world, elector, running } = await leader({ before, options: { leaseDurationMs: 12_900 } });
  state.on = true;
  await world.clock.advance(11_999);
  assertEquals(elector.mayWrite(), true);
  await world.clock.advance(1);
  assertEquals(elector.mayWrite(), false);
  await running;
});

Deno.test("LeaderElector: the signal given to onStartedLeading aborts as soon as leading ends, also because it is stopped", async () => {
  const { elector, stop, signal, news, running } = await leader();
  stop.abort("asked to");
  assertEquals([signal().aborted, elector.isLeader, elector.mayWrite()], [true, false, false]);
  assertEquals(signal().reason, "asked to");
  await running;
  assertEquals(news, ["stopped, signal aborted: true", "stopped"]);
});

Deno.test("LeaderElector can be run again after it lost", async () => {
  const { state, before } = outage();
  const { world, api, elector, running } = await leader({ before });
  state.on = true;
  await world.clock.advance(12_000);
  await running;
  state.on = false;
  const stop = new AbortController();
  const again = elector.run(stop.signal);
  await world.clock.advance(5000);
  assertEquals([elector.mayWrite(), api.lease?.spec?.leaseTransitions], [true, 0]);
  stop.abort();
  await again;
});

Deno.test("LeaderElector that leads for a day through outages leaves no listener on its signal behind", async () => {
  const { state, before } = outage();
  const { world, api, elector, stop, end } = await leader({ before });
  const listeners = countListeners(stop.signal);
  for (let hour = 0; hour < 24; hour++) {
    state.on = true;
    await world.clock.advance(7000);
    state.on = false;
    await world.clock.advance(3_593_000);
    assert(elector.isLeader && listeners.count <= 1, `${listeners.count} listeners`);
  }
  assert(api.calls.length > 40_000);
  await end();
});

Deno.test("LeaderElector reports work that failed and goes on leading", async () => {
  const { world, elector, end } = await leader({
    options: { onStartedLeading: () => Promise.reject(new Error("no such thing")) },
  });
  await world.clock.advance(10_000);
  assertEquals(elector.isLeader, true);
  assertEquals(world.log.lines.filter((line) => line.severity === "error").map((line) => line.message), [
    "The leader's work failed",
  ]);
  await end();
});

Deno.test("LeaderElector retries a refused renewal with conflict or forbidden alike", async () => {
  for (const error of [failure(409, "Conflict"), failure(403, "Forbidden")]) {
    const { state, before } = outage(error);
    state.verbs = ["update"];
    const { world, elector, end } = await leader({ before });
    state.on = true;
    await world.clock.advance(5000);
    state.on = false;
    await world.clock.advance(2000);
    assertEquals(elector.mayWrite(), true);
    await end();
  }
});
