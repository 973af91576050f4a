import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { KubeObject } from "../../../src/api/mod.ts";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { isConflict } from "../../../src/client/mod.ts";
import { LeaderElector, type LeaderElectorOptions, type LeaseClient, LeaseLock } from "../../../src/election/mod.ts";
import { FakeLeaseApi } from "./lease_api.ts";
import { ProcessClock } from "./process_clock.ts";

function options(api = new FakeLeaseApi(), world = new FakeWorld()): LeaderElectorOptions & { world: FakeWorld } {
  return {
    world,
    lock: new LeaseLock({ client: api.client(), namespace: "kube-system", name: "lock", identity: "me" }),
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    onStartedLeading: () => {},
    onStoppedLeading: () => {},
  };
}

Deno.test("LeaderElector() throws upstream's words for options that do not fit together", () => {
  const api = new FakeLeaseApi();
  const nobody = new LeaseLock({ client: api.client(), namespace: "kube-system", name: "lock", identity: "" });
  const cases: [Partial<LeaderElectorOptions>, string][] = [
    [{ leaseDurationMs: 10_000 }, "leaseDuration must be greater than renewDeadline"],
    [{ retryPeriodMs: 9000 }, "renewDeadline must be greater than retryPeriod*JitterFactor"],
    [{ leaseDurationMs: 0, renewDeadlineMs: -1, retryPeriodMs: -2 }, "leaseDuration must be greater than zero"],
    [{ renewDeadlineMs: 0, retryPeriodMs: -1 }, "renewDeadline must be greater than zero"],
    [{ retryPeriodMs: 0 }, "retryPeriod must be greater than zero"],
    [{ lock: nobody }, "Lock identity is empty"],
  ];
  for (const [wrong, message] of cases) {
    const error = assertThrows(() => new LeaderElector({ ...options(), ...wrong }), Error);
    assertEquals(error.message, message);
  }
});

Deno.test("LeaderElector records events about the Lease when it starts and stops leading", async () => {
  const events: [KubeObject, string, string, string][] = [];
  const elector = new LeaderElector({ ...options(), recorder: { event: (...event) => void events.push(event) } });
  const stop = new AbortController();
  const running = elector.run(stop.signal);
  stop.abort();
  await running;
  assertEquals(events, [], "none when it never led");
  const again = new AbortController();
  const api = new FakeLeaseApi();
  const world = new FakeWorld();
  const leader = new LeaderElector({
    ...options(api, world),
    recorder: { event: (...event) => void events.push(event) },
  });
  const leading = leader.run(again.signal);
  await world.clock.advance(0);
  again.abort();
  await leading;
  assertEquals(events.map(([, ...rest]) => rest), [
    ["Normal", "LeaderElection", "me became leader"],
    ["Normal", "LeaderElection", "me stopped leading"],
  ]);
  const { apiVersion, kind, metadata } = events[0][0];
  assertEquals([apiVersion, kind, metadata?.namespace, metadata?.name], [
    "coordination.k8s.io/v1",
    "Lease",
    "kube-system",
    "lock",
  ]);
});

Deno.test("LeaderElector shows in its metrics whether it leads, from its creation on", async () => {
  const metrics = new MetricsRegistry();
  const given = options();
  const elector = new LeaderElector({ ...given, metrics, name: "my-controller" });
  const status = () => metrics.render().match(/leader_election_master_status\{name="my-controller"\} (\d)/)?.[1];
  assertEquals(status(), "0");
  assert(metrics.render().includes('leader_election_slowpath_total{name="my-controller"} 0\n'));
  const stop = new AbortController();
  const running = elector.run(stop.signal);
  await given.world.clock.advance(0);
  assertEquals(status(), "1");
  stop.abort();
  await running;
  assertEquals(status(), "0");
});

Deno.test("LeaderElector.check fails for a leader that renewed nothing for its lease and 20 s more", async () => {
  const given = options();
  const process = new ProcessClock(given.world.clock);
  const elector = new LeaderElector({ ...given, world: { ...given.world, clock: process } });
  const stop = new AbortController();
  const running = elector.run(stop.signal);
  await given.world.clock.advance(0);
  process.freeze(36_000);
  await given.world.clock.advance(35_000);
  assertEquals(elector.check(), undefined);
  await given.world.clock.advance(1);
  assertEquals(elector.check()?.message, "failed election to renew leadership on lease lock");
  await given.world.clock.advance(2000);
  assertEquals(elector.check(), undefined, "renewed after it woke");
  stop.abort();
  await running;
});

Deno.test("LeaderElector.check never fails on a standby", async () => {
  const api = new FakeLeaseApi();
  api.put({ holderIdentity: "b", leaseDurationSeconds: 100_000 });
  const given = options(api);
  const elector = new LeaderElector(given);
  const stop = new AbortController();
  const running = elector.run(stop.signal);
  await given.world.clock.advance(600_000);
  assertEquals([elector.leader, elector.check()], ["b", undefined]);
  stop.abort();
  await running;
});

Deno.test("LeaderElector.run throws when it runs already", async () => {
  const given = options();
  const elector = new LeaderElector(given);
  const stop = new AbortController();
  const running = elector.run(stop.signal);
  await elector.run(stop.signal).then(
    () => assert(false, "must reject"),
    (error: Error) => assertEquals(error.message, 'Cannot run the elector of lease "lock": it runs already'),
  );
  stop.abort();
  await running;
});

Deno.test("LeaseLock: the Lease's metadata goes back as it was, but for the lock's own labels, which are merged in", async () => {
  const api = new FakeLeaseApi();
  const client = api.client();
  const lock = new LeaseLock({ client, namespace: "kube-system", name: "lock", identity: "me", labels: { a: "1" } });
  const metadata = { labels: { a: "0", other: "kept" }, annotations: { note: "kept" }, finalizers: ["example.com/f"] };
  api.put({ holderIdentity: "" }, metadata);
  const record = { holder: "me", durationSeconds: 15, acquireTime: "t", renewTime: "t", transitions: 1 };
  await lock.update((await lock.get())!, record);
  assertEquals(api.lease?.metadata?.labels, { a: "1", other: "kept" });
  assertEquals(api.lease?.metadata?.annotations, metadata.annotations);
  assertEquals(api.lease?.metadata?.finalizers, metadata.finalizers);

  api.lease = undefined;
  await lock.create(record);
  assertEquals(api.lease!.metadata, {
    namespace: "kube-system",
    name: "lock",
    labels: { a: "1" },
    resourceVersion: "3",
  });
});

Deno.test("LeaseLock: an update is written on the Lease that its caller has seen, so that it fails with a conflict if anybody wrote since", async () => {
  const api = new FakeLeaseApi();
  const lock = new LeaseLock({ client: api.client(), namespace: "kube-system", name: "lock", identity: "me" });
  const record = { holder: "me", durationSeconds: 15, acquireTime: "t", renewTime: "t", transitions: 0 };
  const seen = await lock.create(record);
  api.put({ holderIdentity: "b" });
  await lock.get();
  const error = await assertRejects(() => lock.update(seen, record));
  assert(isConflict(error), "although the lock has seen the newer Lease, this update was decided on the older one");
});

Deno.test("LeaseLock: a Lease counts as written only if the server answers with the record that was sent", async () => {
  const api = new FakeLeaseApi();
  const client = api.client();
  const others = { holderIdentity: "b", leaseDurationSeconds: 15 };
  const lying: LeaseClient = {
    ...client,
    create: async (...args) => ({ ...await client.create(...args), spec: others }),
    update: async (...args) => ({ ...await client.update(...args), spec: others }),
  };
  const options = { namespace: "kube-system", name: "lock", identity: "me" };
  const lock = new LeaseLock({ client: lying, ...options });
  const record = { holder: "me", durationSeconds: 15, acquireTime: "t", renewTime: "t", transitions: 0 };
  await assertRejects(() => lock.create(record), Error, "the server answered a write with another record");
  const seen = (await lock.get())!;
  await assertRejects(() => lock.update(seen, record), Error, "the server answered a write with another record");
  assertEquals((await new LeaseLock({ client, ...options }).update((await lock.get())!, record)).record, record);
});
