import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { CLUSTERROLES, DEPLOYMENTS, EVENTS, PODS } from "../../../../src/api/mod.ts";
import { collectableDiscovery } from "../../../../src/controllers/garbage_collector/discovery.ts";
import { Monitors } from "../../../../src/controllers/garbage_collector/monitors.ts";
import { FakeInformerSource } from "../fake_informer_source.ts";
import { FakeDiscovery } from "./fake_discovery.ts";
import { FakeInformer } from "./fake_informer.ts";
import { FakeMapper, WIDGETS } from "./harness.ts";

function setUp() {
  const world = new FakeWorld();
  const source = new FakeInformerSource();
  const mapper = new FakeMapper();
  const errors = new MetricsRegistry().counter({ name: "errors_total", help: "" });
  const discovery = new FakeDiscovery();
  const monitors = new Monitors({ changes: { add: () => {} }, source });
  const loop = collectableDiscovery({ world, discovery, mapper, monitors, errors });
  const stop = new AbortController();
  const round = () => loop.round(stop.signal);
  return { world, discovery, source, mapper, errors, monitors, loop, stop, round };
}

Deno.test("DiscoveryLoop monitors what can be listed, watched and deleted, except events", async () => {
  const { discovery, monitors, round } = setUp();
  discovery.resources = [PODS, EVENTS, { ...DEPLOYMENTS, verbs: ["list", "delete"] }, {
    ...CLUSTERROLES,
    verbs: undefined,
  }];
  await round();
  assertEquals([monitors.size, monitors.isSynced(PODS)], [1, true]);
});

Deno.test("DiscoveryLoop keeps its monitors and counts an error when discovery gives nothing", async () => {
  const { discovery, monitors, errors, round } = setUp();
  discovery.resources = [PODS];
  await round();
  discovery.resources = [];
  await round();
  discovery.error = new Error("connection refused");
  await round();
  assertEquals([monitors.size, errors.value()], [1, 2]);
});

Deno.test("DiscoveryLoop: resources of a group version whose discovery failed stay monitored if they had synced", async () => {
  const { discovery, monitors, round } = setUp();
  discovery.resources = [PODS, DEPLOYMENTS];
  await round();
  discovery.resources = [PODS, WIDGETS];
  discovery.failures.set("apps/v1", new Error("stale"));
  await round();
  assertEquals([monitors.isSynced(DEPLOYMENTS), monitors.isSynced(WIDGETS), monitors.size], [true, true, 3]);
});

Deno.test("DiscoveryLoop drops an unsynced monitor whose group version failed discovery", async () => {
  const { world, discovery, source, monitors, round } = setUp();
  source.informers.set("deployments", new FakeInformer({ hasSynced: false }));
  discovery.resources = [PODS, DEPLOYMENTS];
  const first = round();
  await world.clock.advance(30_000);
  await first;
  discovery.resources = [PODS];
  discovery.failures.set("apps/v1", new Error("stale"));
  await round();
  assertEquals(monitors.size, 1);
});

Deno.test("DiscoveryLoop resets the mapper and starts monitors only when the set of resources changed", async () => {
  const { discovery, source, mapper, round } = setUp();
  discovery.resources = [PODS];
  await round();
  await round();
  assertEquals([mapper.resets, source.startedBy.length], [1, 1]);
  discovery.resources = [PODS, WIDGETS];
  await round();
  assertEquals([mapper.resets, source.startedBy.length], [2, 2]);
});

Deno.test("DiscoveryLoop starts and records nothing in a round in which a monitor could not be made", async () => {
  const { discovery, source, monitors, errors, round } = setUp();
  discovery.resources = [PODS, WIDGETS];
  source.broken.add("widgets");
  await round();
  await round();
  assertEquals([source.startedBy.length, errors.value(), monitors.size], [0, 2, 1]);
  source.broken.clear();
  await round();
  assertEquals([source.startedBy.length, errors.value(), monitors.size], [1, 2, 2]);
});

Deno.test("DiscoveryLoop: nobody waits for a monitor to sync for longer than a round's period; it is counted", async () => {
  const { world, discovery, source, errors, loop, stop } = setUp();
  source.informers.set("widgets", new FakeInformer({ hasSynced: false }));
  discovery.resources = [PODS, WIDGETS];
  const running = loop.run(stop.signal);
  await world.clock.advance(29_999);
  assertEquals(errors.value(), 0);
  await world.clock.advance(1);
  assertEquals(errors.value(), 1);
  discovery.resources = [PODS];
  await world.clock.advance(30_000);
  await loop.firstSynced;
  stop.abort();
  await running;
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("DiscoveryLoop asks again every 30 s, for the first time at once", async () => {
  const { world, discovery, monitors, loop, stop } = setUp();
  discovery.resources = [PODS];
  const running = loop.run(stop.signal);
  await world.clock.advance(0);
  assertEquals(monitors.size, 1);
  discovery.resources = [PODS, WIDGETS];
  await world.clock.advance(29_999);
  assertEquals(monitors.size, 1);
  await world.clock.advance(1);
  assertEquals(monitors.size, 2);
  stop.abort();
  await running;
});
