import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../src/base/mod.ts";
import { CLUSTERROLES, DEPLOYMENTS, EVENTS, type KubeObject, PODS, type Resource } from "../../src/api/mod.ts";
import { DiscoveryLoop } from "../../src/controllers/garbage_collector/discovery_loop.ts";
import { Monitors } from "../../src/controllers/garbage_collector/monitors.ts";
import { FakeInformer } from "./gc_fake_informer.ts";
import { FakeMapper, WIDGETS } from "./gc_harness.ts";

function setUp() {
  const world = new FakeWorld();
  const informers = new Map<string, FakeInformer<KubeObject>>();
  const mapper = new FakeMapper();
  const errors = new MetricsRegistry().counter({ name: "errors_total", help: "" });
  const state = {
    resources: [] as Resource[],
    failures: new Map<string, Error>(),
    fails: undefined as Error | undefined,
    broken: new Set<string>(),
    starts: 0,
  };
  const monitors = new Monitors({
    changes: { add: () => {} },
    source: {
      informer(resource) {
        if (state.broken.has(resource.plural)) throw new Error("no informer");
        const informer = informers.get(resource.plural) ?? new FakeInformer();
        informers.set(resource.plural, informer);
        return informer;
      },
      start: () => void state.starts++,
    },
  });
  const discovery = {
    preferredResources() {
      if (state.fails) return Promise.reject(state.fails);
      const resources = state.resources.map((resource) => ({ ...resource, verbs: resource.verbs ?? [] }));
      return Promise.resolve({ resources, failures: state.failures });
    },
  };
  const loop = new DiscoveryLoop({ world, discovery, mapper, monitors, errors });
  const stop = new AbortController();
  const round = () => loop.round(stop.signal);
  return { world, informers, mapper, errors, state, monitors, loop, stop, round };
}

Deno.test("DiscoveryLoop monitors what can be listed, watched and deleted, except events", async () => {
  const { state, monitors, round } = setUp();
  state.resources = [PODS, EVENTS, { ...DEPLOYMENTS, verbs: ["list", "delete"] }, {
    ...CLUSTERROLES,
    verbs: undefined,
  }];
  await round();
  assertEquals([monitors.size, monitors.isSynced(PODS)], [1, true]);
});

Deno.test("DiscoveryLoop keeps its monitors and counts an error when discovery gives nothing", async () => {
  const { state, monitors, errors, round } = setUp();
  state.resources = [PODS];
  await round();
  state.resources = [];
  await round();
  state.fails = new Error("connection refused");
  await round();
  assertEquals([monitors.size, errors.value()], [1, 2]);
});

Deno.test("DiscoveryLoop keeps a synced monitor whose group version failed discovery", async () => {
  const { state, monitors, round } = setUp();
  state.resources = [PODS, DEPLOYMENTS];
  await round();
  state.resources = [PODS, WIDGETS];
  state.failures.set("apps/v1", new Error("stale"));
  await round();
  assertEquals([monitors.isSynced(DEPLOYMENTS), monitors.isSynced(WIDGETS), monitors.size], [true, true, 3]);
});

Deno.test("DiscoveryLoop drops an unsynced monitor whose group version failed discovery", async () => {
  const { world, state, informers, monitors, round } = setUp();
  informers.set("deployments", new FakeInformer({ hasSynced: false }));
  state.resources = [PODS, DEPLOYMENTS];
  const first = round();
  await world.clock.advance(30_000);
  await first;
  state.resources = [PODS];
  state.failures.set("apps/v1", new Error("stale"));
  await round();
  assertEquals(monitors.size, 1);
});

Deno.test("DiscoveryLoop resets the mapper and starts monitors only when the set of resources changed", async () => {
  const { state, mapper, round } = setUp();
  state.resources = [PODS];
  await round();
  await round();
  assertEquals([mapper.resets, state.starts], [1, 1]);
  state.resources = [PODS, WIDGETS];
  await round();
  assertEquals([mapper.resets, state.starts], [2, 2]);
});

Deno.test("DiscoveryLoop starts and records nothing in a round in which a monitor could not be made", async () => {
  const { state, monitors, errors, round } = setUp();
  state.resources = [PODS, WIDGETS];
  state.broken.add("widgets");
  await round();
  await round();
  assertEquals([state.starts, errors.value(), monitors.size], [0, 2, 1]);
  state.broken.clear();
  await round();
  assertEquals([state.starts, errors.value(), monitors.size], [1, 2, 2]);
});

Deno.test("DiscoveryLoop counts a monitor that does not sync within 30 s and goes on", async () => {
  const { world, state, informers, errors, loop, stop } = setUp();
  informers.set("widgets", new FakeInformer({ hasSynced: false }));
  state.resources = [PODS, WIDGETS];
  const running = loop.run(stop.signal);
  await world.clock.advance(29_999);
  assertEquals(errors.value(), 0);
  await world.clock.advance(1);
  assertEquals(errors.value(), 1);
  state.resources = [PODS];
  await world.clock.advance(30_000);
  await loop.firstSynced;
  stop.abort();
  await running;
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("DiscoveryLoop asks again every 30 s, for the first time at once", async () => {
  const { world, state, monitors, loop, stop } = setUp();
  state.resources = [PODS];
  const running = loop.run(stop.signal);
  await world.clock.advance(0);
  assertEquals(monitors.size, 1);
  state.resources = [PODS, WIDGETS];
  await world.clock.advance(29_999);
  assertEquals(monitors.size, 1);
  await world.clock.advance(1);
  assertEquals(monitors.size, 2);
  stop.abort();
  await running;
});
