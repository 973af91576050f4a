import { assertEquals } from "@std/assert";
import { Deferred, FakeWorld } from "../../../src/base/mod.ts";
import { LeaderElector, LeaseLock } from "../../../src/election/mod.ts";
import { type Around, FakeLeaseApi } from "./lease_api.ts";

async function leader({ work, ...around }: Around & { work?: () => Promise<void> } = {}) {
  const world = new FakeWorld();
  const api = new FakeLeaseApi();
  const stop = new AbortController();
  const stopped: string[] = [];
  const elector = new LeaderElector({
    world,
    lock: new LeaseLock({ client: api.client(around), namespace: "kube-system", name: "lock", identity: "me" }),
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    releaseOnCancel: true,
    onStartedLeading: work ?? (() => Promise.resolve()),
    onStoppedLeading: () => void stopped.push(api.lease?.spec?.holderIdentity ?? "(no lease)"),
  });
  const running = elector.run(stop.signal);
  await world.clock.advance(5000);
  api.calls.length = 0;
  return { world, api, stop, stopped, elector, running };
}

Deno.test("LeaderElector releases its lease when it is stopped, and says so last", async () => {
  const { world, api, stop, stopped, running } = await leader();
  const acquired = api.lease!.spec!.acquireTime;
  stop.abort();
  await running;
  assertEquals(api.calls, ["get", "update"]);
  assertEquals(api.lease?.spec, {
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: "2026-01-01T00:00:05.000000Z",
    renewTime: "2026-01-01T00:00:05.000000Z",
    leaseTransitions: 0,
  });
  assertEquals([acquired, stopped], ["2026-01-01T00:00:00.000000Z", [""]]);
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("LeaderElector gives up a release whose GET fails", async () => {
  let failing = false;
  const { world, api, stop, running } = await leader({
    before: () => {
      if (failing) throw new TypeError("connection refused");
    },
  });
  failing = true;
  stop.abort();
  await running;
  assertEquals([api.calls, api.lease?.spec?.holderIdentity], [[], "me"]);
  assertEquals(world.log.lines.at(-1)?.message, "Failed to release lease");
});

Deno.test("LeaderElector gives up a release of a Lease that is gone", async () => {
  const { api, stop, running } = await leader();
  api.lease = undefined;
  stop.abort();
  await running;
  assertEquals(api.calls, ["get 404"]);
});

Deno.test("LeaderElector: with releaseOnCancel the lease is given up, but only if it is still ours", async () => {
  const { api, stop, running } = await leader();
  api.put({ holderIdentity: "b", leaseDurationSeconds: 15 });
  stop.abort();
  await running;
  assertEquals([api.calls, api.lease?.spec?.holderIdentity], [["get"], "b"]);
});

Deno.test("LeaderElector: the lease is given up only when the leader's work has settled", async () => {
  const work = new Deferred();
  const { world, api, stop, elector, running } = await leader({ work: () => work.promise });
  stop.abort();
  await world.clock.advance(3000);
  assertEquals([api.calls, elector.mayWrite()], [[], false]);
  work.resolve();
  await running;
  assertEquals(api.lease?.spec?.holderIdentity, "");
});

Deno.test("LeaderElector does not release while the leader's work goes on", async () => {
  const { world, api, stop, stopped, running } = await leader({ work: () => new Promise(() => {}) });
  stop.abort();
  await world.clock.advance(15_000);
  await running;
  assertEquals([api.calls, stopped], [[], ["me"]]);
  assertEquals(world.log.lines.at(-1)?.message, "Not releasing the lease: the leader's work has not ended");
});

Deno.test("LeaderElector gives a release up after the renew deadline", async () => {
  let hangs = false;
  const { world, stop, stopped, running } = await leader({
    before: () => hangs ? new Promise<void>(() => {}) : undefined,
  });
  hangs = true;
  stop.abort();
  await world.clock.advance(10_000);
  await running;
  assertEquals([stopped, world.clock.pendingTimers], [["me"], 0]);
});

Deno.test("LeaderElector run again does not write over the leader it met when it wanted to release", async () => {
  const { world, api, stop, elector, running } = await leader();
  api.put({ holderIdentity: "b", leaseDurationSeconds: 15, renewTime: "x", leaseTransitions: 1 });
  stop.abort();
  await running;
  const again = new AbortController();
  const second = elector.run(again.signal);
  await world.clock.advance(5000);
  assertEquals([elector.mayWrite(), elector.leader, api.lease?.spec?.holderIdentity], [false, "b", "b"]);
  again.abort();
  await second;
});
