/** What a sync of a DaemonSet waits for and writes down. */
import { assertEquals, assertRejects } from "@std/assert";
import { DAEMONSETS } from "../../../../src/api/mod.ts";
import { StaleCacheError } from "../../../../src/cache/mod.ts";
import { statusError } from "../status_errors.ts";
import { daemonSet, DaemonSetHarness, nodes, onAll } from "./fixtures.ts";

Deno.test("syncDaemonSet() only counts while it waits to see what it did, and leaves the generation", async () => {
  const harness = new DaemonSetHarness({
    set: daemonSet({ metadata: { namespace: "a", name: "d", uid: "uid-d", generation: 2 } }),
    nodes: nodes(2),
  });
  harness.expectations.set("a/d", { add: 1 });
  await harness.sync();
  assertEquals(harness.client.writes, ["put daemonsets/status a/d"]);
  assertEquals([harness.status?.observedGeneration, harness.status?.desiredNumberScheduled], [undefined, 2]);
});

Deno.test("syncDaemonSet() acts only on caches that show its own writes", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(1) });
  await harness.sync();
  await assertRejects(() => harness.sync(), StaleCacheError);
  harness.daemonSets.replace(harness.client.all(DAEMONSETS), harness.client.version);
  await assertRejects(() => harness.sync(), StaleCacheError, "pods");
});

Deno.test("syncDaemonSet() writes the status over what the server has after a failure, once", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: onAll(1) });
  harness.client.fail("put daemonsets/status", statusError(409, "Conflict"), { times: 1 });
  await harness.sync();
  assertEquals(harness.client.calls.map(({ text }) => text), [
    "put daemonsets/status a/d",
    "get daemonsets a/d",
    "put daemonsets/status a/d",
  ]);
  harness.change({ minReadySeconds: 1 });
  harness.client.fail("put daemonsets/status", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "broken");
});

Deno.test("syncDaemonSet() writes the status of no other DaemonSet that has its name by now", async () => {
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: onAll(1) });
  harness.client.store(DAEMONSETS, daemonSet({ metadata: { uid: "another" } }));
  const message = "Cannot write the status of DaemonSet a/d: it was replaced by another one";
  await assertRejects(() => harness.sync(), Error, message);
  assertEquals(harness.status?.desiredNumberScheduled, 0);
});

Deno.test("syncDaemonSet() does not look again when all ready pods are available", async () => {
  const harness = new DaemonSetHarness({ set: daemonSet({ minReadySeconds: 30 }), nodes: nodes(1), pods: onAll(1) });
  await harness.sync();
  await harness.world.clock.advance(60_000);
  assertEquals(harness.queue.length, 0);
});

Deno.test("syncDaemonSet() looks again after minReadySeconds when ready pods are not available", async () => {
  const harness = new DaemonSetHarness({
    set: daemonSet({ minReadySeconds: 30 }),
    nodes: nodes(1),
    pods: onAll(1, { readyFor: 10 }),
  });
  await harness.sync();
  assertEquals([harness.status?.numberReady, harness.status?.numberAvailable], [1, undefined]);
  await harness.world.clock.advance(30_000);
  assertEquals(harness.queue.length, 1);
});
