import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { Fence } from "../../../src/election/fence.ts";
import { LeaseClaim } from "../../../src/election/lease_claim.ts";
import { LeaseLock } from "../../../src/election/mod.ts";
import { type Around, FakeLeaseApi } from "./lease_api.ts";

const STEADY = { holderIdentity: "b", leaseDurationSeconds: 15, renewTime: "x", leaseTransitions: 1 };

function setUp(around: Around = {}) {
  const world = new FakeWorld();
  const api = new FakeLeaseApi();
  const fence = new Fence(world.clock, 15_000);
  let slowPaths = 0;
  const claim = new LeaseClaim({
    world,
    lock: new LeaseLock({ client: api.client(around), namespace: "kube-system", name: "lock", identity: "me" }),
    leaseDurationMs: 15_000,
    fence,
    onSlowPath: () => slowPaths++,
  });
  const { signal } = new AbortController();
  return { world, api, fence, claim, signal, slowPaths: () => slowPaths };
}

Deno.test("LeaseClaim takes a free lease, keeps it without reading it, and renews its fence each time", async () => {
  const { world, api, fence, claim, signal, slowPaths } = setUp();
  assertEquals(await claim.hold(signal, { isLeader: false }), "held");
  await world.clock.advance(2000);
  assertEquals(await claim.hold(signal, { isLeader: true }), "held");
  assertEquals([api.calls, slowPaths()], [["get 404", "create", "update"], 0]);
  assertEquals([claim.holder, claim.unchangedMs, fence.closesAt?.monotonicMs], ["me", 0, 17_000]);
});

Deno.test("LeaseClaim tells of the slow path when its own lease was touched by somebody", async () => {
  const { api, claim, signal, slowPaths } = setUp();
  await claim.hold(signal, { isLeader: false });
  api.put(api.lease!.spec!);
  assertEquals([await claim.hold(signal, { isLeader: true }), slowPaths()], ["held", 1]);
});

Deno.test("LeaseClaim: a leader that finds its lease in other hands, or in nobody's, writes nothing more", async () => {
  for (const holderIdentity of ["b", ""]) {
    const { world, api, fence, claim, signal } = setUp();
    await claim.hold(signal, { isLeader: false });
    await world.clock.advance(1000);
    api.put({ ...STEADY, holderIdentity });
    api.calls.length = 0;
    assertEquals(await claim.hold(signal, { isLeader: true }), "displaced");
    assertEquals([api.calls, claim.holder], [["update 409", "get"], holderIdentity]);
    assertEquals(fence.closesAt?.monotonicMs, 15_000, "not renewed");
  }
});

Deno.test("LeaseClaim: once an attempt's signal has aborted, its answer no longer counts", async () => {
  for (const verb of ["get", "create"]) {
    const stop = new AbortController();
    const { api, fence, claim } = setUp({ after: (one) => one === verb ? stop.abort() : undefined });
    assertEquals(await claim.hold(stop.signal, { isLeader: false }), "failed");
    assertEquals(api.calls, verb === "get" ? ["get 404"] : ["get 404", "create"]);
    assertEquals([claim.observed, fence.isOpen], [undefined, false]);
  }
});

Deno.test("LeaseClaim does not hold a lease whose holder it has just seen, nor one that it cannot read", async () => {
  const { world, api, claim, signal } = setUp();
  api.put(STEADY);
  assertEquals(await claim.hold(signal, { isLeader: false }), "failed");
  assertEquals([api.calls, claim.holder], [["get"], "b"]);
  const refused = setUp({
    before: () => {
      throw new TypeError("connection refused");
    },
  });
  assertEquals(await refused.claim.hold(signal, { isLeader: false }), "failed");
  assertEquals(refused.world.log.lines.map((line) => line.message), ["Error retrieving lease lock"]);
  assertEquals(world.log.lines.filter((line) => line.severity === "error"), []);
});

Deno.test("LeaseClaim: a Lease that is gone, or has a record that we did not write, endangers it, unless it is older than our last write", async () => {
  const { world, api, claim, signal } = setUp();
  await claim.hold(signal, { isLeader: false });
  const created = structuredClone(api.lease!);
  await world.clock.advance(2000);
  await claim.hold(signal, { isLeader: true });
  const ours = structuredClone(api.lease!);
  assertEquals([claim.isEndangeredBy(undefined), claim.isEndangeredBy(ours)], [true, false]);
  assertEquals(claim.isEndangeredBy(created), false, "it was so before our last write");
  api.put({ ...ours.spec, renewTime: created.spec!.renewTime });
  assertEquals(claim.isEndangeredBy(api.lease), true, "an old record of ours, written again by somebody");
  api.put({ ...STEADY });
  assertEquals(claim.isEndangeredBy(api.lease), true);
});
