import { assertEquals, assertThrows } from "@std/assert";
import { PODS } from "../../../src/api/mod.ts";
import { Deferred, FakeWorld } from "../../../src/base/mod.ts";
import { type FrameSource, SharedInformer } from "../../../src/cache/mod.ts";
import { contentOf, Journal, pod, rig } from "./fixtures.ts";

Deno.test("SharedInformer: it runs once; a second run warns and returns at once", async () => {
  await using it = rig();
  it.start();
  await it.informer.run(new AbortController().signal);
  const [line] = it.world.log.lines;
  assertEquals([line.severity, line.message], [
    "warning",
    "The sharedIndexInformer has started, run more than once is not allowed",
  ]);
});

Deno.test("SharedInformer: when it ends, pending notifications are dropped and queued deltas reach the store", async () => {
  const it = rig();
  const gate = new Deferred();
  let calls = 0;
  it.informer.addEventHandler({ onAdd: () => (calls++, gate.promise) as unknown as void });
  it.start();
  await it.source.list([pod("a"), pod("b")], 1);
  await it.settle();
  void it.source.events(["ADDED", pod("c", 2)]);
  const stopped = it.stop();
  await it.settle();
  gate.resolve();
  await stopped;
  await it.settle();
  assertEquals([calls, contentOf(it.informer.lister.list())], [1, ["a@1", "b@1", "c@2"]]);
});

Deno.test("SharedInformer: when it has ended, handlers and indexers are refused", async () => {
  const it = rig();
  it.start();
  await it.stop();
  assertThrows(
    () => it.informer.addEventHandler({}, { name: "late" }),
    Error,
    "handler late was not added to shared informer because it has stopped already",
  );
  assertThrows(() => it.informer.addIndexers({ x: () => [] }), Error, "it has stopped already");
});

Deno.test("SharedInformer.setTransform is for before the start", async () => {
  await using it = rig();
  it.informer.setTransform((object) => ({ ...object, spec: undefined }));
  it.start();
  assertThrows(() => it.informer.setTransform((object) => object), Error, "informer has already started");
});

Deno.test("SharedInformer applies its transform to what handlers, readers and tombstones get", async () => {
  await using it = rig();
  const seen: unknown[] = [];
  it.informer.addEventHandler({
    onAdd: (object) => seen.push(object.metadata?.annotations),
    onDelete: (object) => seen.push("object" in object ? object.object?.metadata?.annotations : "no tombstone"),
  });
  it.informer.setTransform((object) => ({ ...object, metadata: { ...object.metadata, annotations: { seen: "yes" } } }));
  it.start();
  await it.source.list([pod("a")], 1);
  await it.settle();
  seen.push(it.informer.lister.get("ns", "a")?.metadata?.annotations);
  await it.source.list([], 2);
  await it.settle();
  assertEquals(seen, [{ seen: "yes" }, { seen: "yes" }, { seen: "yes" }]);
});

Deno.test("SharedInformer runs its source again a second after it failed or ended by itself", async () => {
  const world = new FakeWorld();
  let runs = 0;
  const source: FrameSource = {
    run: () => ++runs === 1 ? Promise.reject(new Error("oops")) : Promise.resolve(),
  };
  const informer = new SharedInformer({ world, resource: PODS, source });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  await world.clock.advance(999);
  assertEquals(runs, 1);
  await world.clock.advance(1001);
  assertEquals(runs, 3);
  abort.abort();
  await running;
  assertEquals(world.log.lines.map((line) => line.severity), ["error", "warning", "warning"]);
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("SharedInformer.whenSynced is false if the signal aborts first", async () => {
  await using it = rig();
  it.start();
  const abort = new AbortController();
  const synced = it.informer.whenSynced(abort.signal);
  abort.abort();
  assertEquals(await synced, false);
  await it.source.list([], 1);
  await it.settle();
  assertEquals(await it.informer.whenSynced(AbortSignal.abort()), true); // it had synced before
});

Deno.test("Processor of a SharedInformer: a distribution goes to the listeners that were there when it began, even if it takes several turns of the event loop: who comes in between misses and doubles nothing", async () => {
  const objects = Array.from({ length: 600 }, (_, i) => pod(`p${i}`, i + 1));
  await using it = rig();
  // Time passes with each look at the clock, so that slices are short.
  let nowMs = 0;
  const { clock } = it.world;
  const slow = {
    monotonicMs: () => nowMs += 9,
    wallMs: () => 0,
    setTimer: clock.setTimer.bind(clock),
    nextTurn: () => turn(),
  };
  const late = new Journal();
  const early = new Journal();
  let added = false;
  const turn = () => {
    if (informer.indexer.size === 600 && !added) {
      added = true;
      informer.addEventHandler(late);
    }
    return clock.nextTurn();
  };
  const { random, files, log } = it.world;
  const informer = new SharedInformer({
    world: { clock: slow, random, files, log },
    resource: PODS,
    source: it.source,
  });
  informer.addEventHandler(early);
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  await it.source.list(objects, 5000);
  for (let turns = 0; turns < 3000; turns++) await clock.nextTurn(); // a listener delivers one notification a turn
  assertEquals([added, early.lines.length, late.lines.length, late.view.size], [true, 600, 600, 600]);
  abort.abort();
  await running;
});
