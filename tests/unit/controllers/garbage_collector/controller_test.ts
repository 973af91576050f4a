import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  objectKey,
  PODS,
  REPLICASETS,
  type Resource,
} from "../../../../src/api/mod.ts";
import type { Controller } from "../../../../src/controllers/mod.ts";
import { GARBAGE_COLLECTOR_CONTROLLER, GarbageCollector } from "../../../../src/controllers/garbage_collector/mod.ts";
import { informerSource } from "../../../../src/controllers/monitors/mod.ts";
import { fakeContext, NO_JOURNAL } from "../context.ts";
import { RecordedClient } from "../recorded_client.ts";
import { FakeDiscovery } from "./fake_discovery.ts";
import { FakeInformer } from "./fake_informer.ts";
import { DELETING, FakeMapper, object, objectsOn, ref } from "./harness.ts";
import { statusError } from "../status_errors.ts";

const SERVED = [PODS, REPLICASETS];

/** A whole garbage collector whose informers follow a fake API server at once. */
function setUp() {
  const world = new FakeWorld();
  const client = new RecordedClient(world);
  const informers = new Map(SERVED.map((resource) => [resource.plural, new FakeInformer<KubeObject>()]));
  client.onChange = (change) => {
    const informer = informers.get(change.of.split(".")[0]);
    if (change.isGone) informer?.delete(change.object);
    else if (change.old) informer?.update(change.object);
    else informer?.add(change.object);
  };
  const events: string[] = [];
  const started = Promise.withResolvers<void>();
  const collector = new GarbageCollector({
    world,
    journal: NO_JOURNAL,
    metrics: new MetricsRegistry(),
    client,
    mapper: new FakeMapper(),
    discovery: new FakeDiscovery(SERVED),
    informers: { informer: ({ plural }) => informers.get(plural)!, start: () => {}, drop: () => Promise.resolve() },
    informersStarted: started.promise,
    recorder: {
      event: (target, type, reason, message) => {
        const name = "name" in target ? `${target.namespace}/${target.name}` : "";
        events.push(`${name} ${type} ${reason} ${message}`);
      },
    },
    workers: 20,
  });
  const stop = new AbortController();
  const running = collector.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  return { world, client, informers, collector, events, start: started.resolve, end };
}

Deno.test("GarbageCollector waits for the informers to be started", async () => {
  const { world, client, start, end } = setUp();
  client.store(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  await world.clock.advance(60_000);
  assertEquals(client.lines, []);
  start();
  await world.clock.advance(1);
  assertEquals(client.calls.length, 2);
  await end();
});

Deno.test("GarbageCollector ends when it is stopped, however far its start has come", async () => {
  for (const stage of ["not started", "not synced", "working"]) {
    const { world, informers, start, end } = setUp();
    if (stage === "not synced") informers.set("pods", new FakeInformer({ hasSynced: false }));
    if (stage !== "not started") start();
    await world.clock.advance(1);
    await end();
  }
});

Deno.test("GarbageCollector deletes thousands of dependents with one request each", async () => {
  const { world, client, start, end } = setUp();
  const [owner] = client.store(REPLICASETS, object(REPLICASETS, "rs"));
  for (let i = 0; i < 2000; i++) {
    client.store(PODS, object(PODS, `p${i}`, { ownerReferences: [ref(REPLICASETS, "rs")] }));
  }
  start();
  await world.clock.advance(1);
  client.calls.length = 0;
  client.remove(REPLICASETS, objectKey(owner));
  for (let turn = 0; turn < 10_000 && objectsOn(client).length > 0; turn++) await world.clock.advance(0);
  const count = (prefix: string) => client.lines.filter((call) => call.startsWith(prefix)).length;
  assertEquals([count("get pods"), count("delete pods")], [0, 2000]);
  assertEquals(count("get replicasets") <= 1, true, "the owner's absence is known from its deletion");
  await end();
});

Deno.test("GarbageCollector cascades through generations in foreground", async () => {
  const { world, client, start, end } = setUp();
  const blocking = (name: string, resource: Resource) => ({
    ownerReferences: [ref(resource, name, { blockOwnerDeletion: true })],
  });
  client.store(REPLICASETS, object(REPLICASETS, "rs"));
  client.store(PODS, object(PODS, "p", blocking("rs", REPLICASETS)));
  client.store(PODS, object(PODS, "q", blocking("p", PODS)));
  start();
  await world.clock.advance(1);
  const order: string[] = [];
  const { onChange } = client;
  client.onChange = (change) => {
    if (change.isGone) order.push(change.object.metadata?.name ?? "");
    onChange(change);
  };
  await client.delete(REPLICASETS, { namespace: "a", name: "rs" }, { propagationPolicy: "Foreground" });
  await world.clock.advanceUntil(() => objectsOn(client).length === 0);
  assertEquals(order, ["q", "p", "rs"]);
  await end();
});

Deno.test("GarbageCollector starts collecting after 30 s although a monitor does not sync", async () => {
  const { world, client, informers, start, end } = setUp();
  informers.set("replicasets", new FakeInformer({ hasSynced: false }));
  client.store(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  start();
  client.store(REPLICASETS, object(REPLICASETS, "gone", { ownerReferences: [ref(PODS, "none")] }));
  await world.clock.advance(29_999);
  assertEquals(client.lines, []);
  await world.clock.advance(1);
  assertEquals(objectsOn(client).map(({ metadata }) => metadata?.name), ["p"], "an owner may still be listed");
  await world.clock.advance(119_999);
  assertEquals(objectsOn(client).map(({ metadata }) => metadata?.name), ["p"]);
  await world.clock.advance(5_000);
  assertEquals(objectsOn(client), [], "its monitor is waited for no longer");
  await end();
});

Deno.test("GarbageCollector asks for no owner whose kind is still being listed when collection starts", async () => {
  const { world, client, informers, start, end } = setUp();
  const replicaSets = new FakeInformer<KubeObject>({ hasSynced: false });
  informers.set("replicasets", replicaSets);
  for (let i = 0; i < 500; i++) {
    client.store(PODS, object(PODS, `p${i}`, { ownerReferences: [ref(REPLICASETS, `rs${i}`)] }));
  }
  start();
  await world.clock.advance(60_000);
  assertEquals(client.lines, [], "before it has been listed");
  for (let i = 0; i < 500; i++) replicaSets.add(object(REPLICASETS, `rs${i}`));
  replicaSets.sync();
  await world.clock.advance(60_000);
  assertEquals(client.lines, [], "afterwards");
  await end();
});

Deno.test("GarbageCollector orphans every dependent that was there at the start", async () => {
  const { world, client, start, end } = setUp();
  client.store(REPLICASETS, object(REPLICASETS, "rs", { ...DELETING, finalizers: ["orphan"] }));
  for (let i = 0; i < 300; i++) {
    client.store(PODS, object(PODS, `p${i}`, { ownerReferences: [ref(REPLICASETS, "rs")] }));
  }
  start();
  await world.clock.advanceUntil(() => client.find(REPLICASETS, "a/rs") === undefined);
  await world.clock.advance(60_000);
  assertEquals(objectsOn(client).length, 300);
  assertEquals(objectsOn(client).every(({ metadata }) => metadata?.ownerReferences === undefined), true);
  await end();
});

Deno.test("GarbageCollector retries what failed, ever more rarely", async () => {
  const { world, client, start, end } = setUp();
  client.fail("delete pods", statusError(500, "InternalError"), { times: 3 });
  client.store(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  start();
  const deletes = () => client.lines.filter((call) => call.startsWith("delete")).length;
  await world.clock.advance(0);
  assertEquals(deletes(), 1);
  for (const [ms, expected] of [[5, 2], [9, 2], [1, 3], [20, 4], [60_000, 4]]) {
    await world.clock.advance(ms);
    assertEquals(deletes(), expected);
  }
  await end();
});

Deno.test("GarbageCollector polls an owner it has not observed at growing intervals", async () => {
  const { world, client, informers, start, end } = setUp();
  informers.set("replicasets", new FakeInformer());
  const silent = client.onChange;
  client.onChange = (change) => change.of === groupResource(REPLICASETS) ? undefined : silent(change);
  client.store(REPLICASETS, object(REPLICASETS, "rs"));
  client.store(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  start();
  await world.clock.advance(5 + 10 + 20 + 40);
  assertEquals(client.lines.filter((call) => call === "get replicasets a/rs").length, 5);
  informers.get("replicasets")!.add(object(REPLICASETS, "rs"));
  await world.clock.advance(80);
  const calls = client.calls.length;
  await world.clock.advance(10_000);
  assertEquals(client.calls.length, calls, "the last poll found it observed");
  await end();
});

Deno.test("GarbageCollector tells users of an owner in another namespace by an event on the dependent", async () => {
  const { world, client, events, start, end } = setUp();
  client.store(REPLICASETS, object(REPLICASETS, "rs", { namespace: "b" }));
  client.store(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  start();
  await world.clock.advance(1);
  const owner = `[${apiVersionOf(REPLICASETS)}/ReplicaSet, namespace: a, name: rs, uid: rs]`;
  assertEquals(events, [
    `a/p Warning OwnerRefInvalidNamespace ownerRef ${owner} does not exist in namespace "a"`,
  ]);
  assertEquals(client.find(PODS, "a/p"), undefined);
  await end();
});

/** What the registry's row gives for these flags. */
function build({ isEnabled }: { isEnabled: boolean }) {
  const world = new FakeWorld();
  const pods = new FakeInformer<KubeObject>();
  const context = {
    ...fakeContext({ world, client: new RecordedClient(), discovery: new FakeDiscovery([PODS]), informers: [] }),
    metadataInformers: { informer: () => pods, start: () => {}, drop: () => Promise.resolve() },
    informers: { existing: () => undefined },
    mapper: new FakeMapper(),
    informersStarted: Promise.resolve(),
    recorder: () => ({ event: () => {} }),
  };
  const controller = GARBAGE_COLLECTOR_CONTROLLER.build(context as never, { isEnabled, workers: 1 });
  return { world, controller: controller as Controller | undefined };
}

Deno.test("GARBAGE_COLLECTOR_CONTROLLER is not built when garbage collection is off", () => {
  assertEquals(build({ isEnabled: false }).controller, undefined);
});

Deno.test("GARBAGE_COLLECTOR_CONTROLLER says under its name what it does", async () => {
  const { world, controller } = build({ isEnabled: true });
  const stop = new AbortController();
  const running = controller!.run(stop.signal);
  await world.clock.advance(1);
  stop.abort();
  await running;
  const lines = world.log.lines.filter(({ verbosity }) => verbosity === 0);
  assertEquals(lines.map(({ message }) => message), [
    "Starting controller",
    "Waiting for caches to sync",
    "Caches are synced",
    "Garbage collector: all resource monitors have synced",
    "Proceeding to collect garbage",
    "Shutting down controller",
  ]);
  assertEquals(new Set(lines.map(({ logger }) => logger)), new Set(["garbage-collector-controller"]));
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("informerSource takes full informers where the process has them, else metadata ones", () => {
  const full = new FakeInformer<KubeObject>();
  const metadata = new FakeInformer<KubeObject>();
  let starts = 0;
  const source = informerSource({
    informers: { existing: (resource) => resource === PODS ? full : undefined },
    metadataInformers: { informer: () => metadata, start: () => void starts++, drop: () => Promise.resolve() },
  });
  assertEquals([source.informer(PODS) === full, source.informer(REPLICASETS) === metadata], [true, true]);
  source.start(new AbortController().signal);
  assertEquals(starts, 1);
});
