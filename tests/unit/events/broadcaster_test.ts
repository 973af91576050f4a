import { assert, assertEquals, assertMatch } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { EventBroadcaster } from "../../../src/events/mod.ts";
import { FakeEventApi } from "./fake_client.ts";

const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", name: "web-0", uid: "u1", resourceVersion: "7", labels: { a: "b" } },
};

function setUp() {
  const world = new FakeWorld();
  const api = new FakeEventApi();
  const metrics = new MetricsRegistry();
  const broadcaster = new EventBroadcaster({ world, client: api.client, metrics });
  const stop = new AbortController();
  const start = () => {
    const running = broadcaster.run(stop.signal);
    return async () => {
      stop.abort();
      await running;
      assertEquals(world.clock.pendingTimers, 0);
    };
  };
  return { world, api, metrics, broadcaster, recorder: broadcaster.recorder("test-controller"), start, stop };
}

Deno.test("EventRecorder.event writes an Event with upstream's fields", async () => {
  const { world, api, recorder, start } = setUp();
  recorder.event(POD, "Normal", "Killing", "Stopping container");
  const end = start();
  await world.clock.advance(0);
  const [event] = api.events.values();
  const { metadata, ...rest } = event;
  assertEquals(rest, {
    apiVersion: "v1",
    kind: "Event",
    involvedObject: {
      apiVersion: "v1",
      kind: "Pod",
      namespace: "default",
      name: "web-0",
      uid: "u1",
      resourceVersion: "7",
    },
    reason: "Killing",
    message: "Stopping container",
    type: "Normal",
    source: { component: "test-controller" },
    reportingComponent: "test-controller",
    reportingInstance: "",
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    count: 1,
  });
  assertEquals(Object.keys(metadata).sort(), ["name", "namespace"]);
  assertEquals(metadata.namespace, "default");
  assertMatch(metadata.name!, /^web-0\.[0-9a-f]{16}$/);
  const nanoseconds = BigInt(`0x${metadata.name!.slice("web-0.".length)}`);
  assertEquals(nanoseconds / 1_000_000n, BigInt(world.clock.wallMs()));
  await end();
});

Deno.test("EventRecorder.event writes about a cluster-scoped object in namespace default", async () => {
  const { world, api, recorder, start } = setUp();
  const end = start();
  recorder.event({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }, "Warning", "Gone", "m");
  await world.clock.advance(0);
  assertMatch(api.writes[0].name, /^default\/n1\./);
  assertEquals(api.writes[0].body.involvedObject, { apiVersion: "v1", kind: "Node", name: "n1" });
  await end();
});

Deno.test("EventRecorder.event takes a reference with a field path", async () => {
  const { world, api, recorder, start } = setUp();
  const end = start();
  const reference = { apiVersion: "v1", kind: "Pod", namespace: "x", name: "p", fieldPath: "spec.containers{a}" };
  recorder.event(reference, "Warning", "BackOff", "m");
  await world.clock.advance(0);
  assertEquals([api.writes[0].body.involvedObject, api.writes[0].body.metadata.namespace], [reference, "x"]);
  await end();
});

Deno.test("EventRecorder.event names an Event by a UUID when the object's name gives no valid one", async () => {
  const { world, api, recorder, start } = setUp();
  const end = start();
  recorder.event({ ...POD, metadata: { namespace: "default", name: "system:role" } }, "Normal", "R", "m");
  await world.clock.advance(0);
  assertMatch(api.writes[0].body.metadata.name!, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  await end();
});

Deno.test("EventRecorder.event by its EventNames: no name is given twice, even at one instant", async () => {
  const { world, api, recorder, start } = setUp();
  const end = start();
  for (let i = 0; i < 9; i++) recorder.event(POD, "Normal", `Reason${i}`, "m");
  await world.clock.advance(0);
  assertEquals(new Set(api.writes.map(({ name }) => name)).size, 9);
  await end();
});

Deno.test("EventBroadcaster: recording an event neither waits nor throws, whatever happens to the event: an object without kind, a wrong type", async () => {
  const { world, api, recorder, start } = setUp();
  const end = start();
  recorder.event({ metadata: { name: "x" } }, "Normal", "R", "m");
  recorder.event(POD, "Info" as "Normal", "R", "m");
  await world.clock.advance(0);
  assertEquals(api.writes, []);
  assertEquals(world.log.lines.map(({ severity, message }) => [severity, message]), [
    ["error", "Could not construct reference, will not report event"],
    ["error", "Unsupported event type"],
  ]);
  await end();
});

Deno.test("EventBroadcaster: every event is also logged, at the verbosity of its recorder", () => {
  const { world, broadcaster, recorder } = setUp();
  recorder.event(POD, "Normal", "Killing", "Stopping");
  broadcaster.recorder("quiet", { verbosity: 3 }).event(POD, "Warning", "Failed", "No");
  assertEquals(world.log.lines.map(({ verbosity, message, fields }) => [verbosity, message, fields]), [
    [0, "Event occurred", {
      object: { namespace: "default", name: "web-0" },
      fieldPath: "",
      kind: "Pod",
      apiVersion: "v1",
      type: "Normal",
      reason: "Killing",
      message: "Stopping",
    }],
    [3, "Event occurred", {
      object: { namespace: "default", name: "web-0" },
      fieldPath: "",
      kind: "Pod",
      apiVersion: "v1",
      type: "Warning",
      reason: "Failed",
      message: "No",
    }],
  ]);
});

Deno.test("EventBroadcaster: at most 1000 events wait; further ones are dropped, counted and logged", async () => {
  const { world, api, metrics, broadcaster, recorder, start } = setUp();
  const record = (i: number) =>
    recorder.event({ ...POD, metadata: { ...POD.metadata, uid: `${i}` } }, "Normal", "R", "m");
  for (let i = 0; i < 1005; i++) record(i);
  assertEquals([broadcaster.length, broadcaster.dropped], [1000, 5]);
  const drops = () =>
    world.log.lines.filter((line) => line.severity === "error").map((line) => line.fields.droppedSoFar);
  assertEquals(drops(), [1], "logged at most once a second");
  await world.clock.advance(1000);
  record(0);
  assertEquals(drops(), [1, 6]);
  assert(metrics.render().includes('kubeloop_events_dropped_total{reason="queue_full"} 6\n'));
  const end = start();
  await world.clock.advance(0);
  await world.clock.advanceUntil(() => api.writes.length === 1000);
  await end();
});

Deno.test("EventBroadcaster: events of a namespace that few come from wait for one of each other namespace, and are not dropped", async () => {
  const { world, api, broadcaster, recorder, start } = setUp();
  const podIn = (namespace: string, i: number) => ({
    ...POD,
    metadata: { namespace, name: `pod-${i}`, uid: `${namespace}-${i}` },
  });
  for (let i = 0; i < 1500; i++) recorder.event(podIn("flood", i), "Normal", "SELinuxLabelConflict", "m");
  recorder.event(podIn("calm", 0), "Normal", "SELinuxLabelConflict", "m");
  assertEquals([broadcaster.length, broadcaster.dropped], [1000, 501]);
  const end = start();
  await world.clock.advanceUntil(() => api.writes.length >= 2);
  assertEquals([...api.events.values()].slice(0, 2).map(({ metadata }) => metadata.namespace), ["flood", "calm"]);
  await end();
});

Deno.test("EventBroadcaster: events are written one after the other, in order", async () => {
  const { world, api, recorder, start } = setUp();
  api.before = () => new Promise((resolve) => void world.clock.setTimer(world.random.float() * 100, resolve));
  const end = start();
  for (let i = 0; i < 20; i++) {
    for (const uid of ["a", "b", "c"]) {
      recorder.event({ ...POD, metadata: { ...POD.metadata, uid } }, "Normal", "R", "m");
    }
  }
  await world.clock.advance(20_000);
  const byName = Map.groupBy(api.writes, ({ name }) => name);
  assertEquals(byName.size, 3);
  for (const writes of byName.values()) {
    assertEquals(writes.map(({ verb }) => verb), ["POST", ...Array(19).fill("PATCH")]);
    assertEquals(writes.map(({ body }) => body.count), Array.from({ length: 20 }, (_, i) => i + 1));
  }
  assertEquals(api.mostAtOnce, 1);
  await end();
});

Deno.test("EventBroadcaster: when run ends, waiting events are dropped and later events are ignored", async () => {
  const { world, api, broadcaster, recorder, start, stop } = setUp();
  let release = () => {};
  api.before = () => new Promise((resolve) => release = resolve);
  const end = start();
  recorder.event(POD, "Normal", "First", "m");
  await world.clock.advance(0);
  stop.abort();
  recorder.event(POD, "Normal", "Second", "m");
  release();
  await end();
  recorder.event(POD, "Normal", "Third", "m");
  assertEquals([api.writes.map(({ body }) => body.reason), broadcaster.length], [["First"], 0]);
});

Deno.test("EventBroadcaster that is stopped before anything happened ends", async () => {
  const { start, world } = setUp();
  const end = start();
  await world.clock.advance(0);
  await end();
});
