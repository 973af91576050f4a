import { assertEquals, assertThrows } from "@std/assert";
import { type KubeObject, PODS } from "../../../src/api/mod.ts";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { type Delta, DeltaFifo, Indexer, type Transform } from "../../../src/cache/mod.ts";
import { InformerMetrics } from "../../../src/cache/informer_metrics.ts";
import { ObjectSink } from "../../../src/cache/object_sink.ts";
import { SetAside } from "../../../src/cache/set_aside.ts";
import { FrameError } from "../../../src/watch/mod.ts";
import { contentOf, event, frames, item, pod, rig } from "./fixtures.ts";

const SKIPPED = {
  name: "kubeloop_informer_skipped_objects_total",
  help: "",
  labels: ["name", "group", "version", "resource", "reason"],
};

Deno.test("ObjectSink: one whose name cannot be found either is counted and logged", async () => {
  await using it = rig();
  it.start();
  const replacement = it.source.sink.beginReplace();
  await replacement.events([item(pod("a")), item("{}"), item('{"metadata":{"namespace":"ns"}}'), item(pod("b"))]);
  await replacement.commit("3");
  await it.source.events(["ADDED", { metadata: { resourceVersion: "4" } }], ["ADDED", pod("c", 5)]);
  await it.settle();
  assertEquals(contentOf(it.informer.indexer.list()), ["a@1", "b@1", "c@5"]);
  assertEquals(it.metrics.counter(SKIPPED).value(["kubeloop", "", "v1", "pods", "no-name"]), 3);
  assertEquals(it.world.log.lines.filter((line) => line.severity === "error").length, 3);
});

Deno.test("ObjectSink: an event of a type that is not a change fails with a FrameError", async () => {
  await using it = rig();
  it.start();
  assertThrows(() => it.source.sink.events([item(pod("a"))]), FrameError, 'unknown type ""');
});

Deno.test("ObjectSink refuses a transformer that removes the name", async () => {
  await using it = rig();
  it.informer.setTransform((object) => ({ ...object, metadata: {} }));
  it.start();
  await it.source.events(["ADDED", pod("a", 2)]);
  await it.settle();
  assertEquals([it.informer.indexer.size, it.world.log.lines[0].fields.reason], [0, "transform"]);
});

Deno.test("ObjectSink keeps only metadata of what a metadata-only watch gets", async () => {
  await using it = rig({ metadataOnly: true });
  it.start();
  const metadata = { name: "a", resourceVersion: "1" };
  const replacement = it.source.sink.beginReplace();
  await replacement.events([item({ ...pod("a"), metadata, spec: { containers: [] } } as KubeObject)]);
  await replacement.commit("1");
  await it.settle();
  assertEquals(it.informer.indexer.list(), [{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata }]);
});

Deno.test("ObjectSink ignores a bookmark without a version", async () => {
  await using it = rig();
  it.start();
  await it.source.list([], 7);
  await it.source.sink.bookmark("");
  await it.settle();
  assertEquals(it.informer.resourceVersion, "7");
});

function sinkOf({ lookMs, transforms = [] }: { lookMs: number; transforms?: Transform<KubeObject>[] }) {
  const { clock, random, files, log } = new FakeWorld();
  let turns = 0;
  let nowMs = 0;
  const counting = {
    monotonicMs: () => nowMs += lookMs,
    wallMs: () => 0,
    setTimer: clock.setTimer.bind(clock),
    nextTurn: () => (turns++, clock.nextTurn()),
  };
  const fifo = new DeltaFifo<KubeObject>();
  const sink = new ObjectSink<KubeObject>({
    world: { clock: counting, random, files, log },
    resource: PODS,
    fifo,
    indexer: new Indexer(),
    metrics: new InformerMetrics({ registry: new MetricsRegistry(), resource: PODS, name: "test", measured: true }),
    transforms,
    setAside: new SetAside("pods"),
    metadataOnly: false,
  });
  return { sink, fifo, turns: () => turns };
}

Deno.test("ObjectSink: long work gives the event loop its turns", async () => {
  const { sink, fifo, turns } = sinkOf({ lookMs: 5 }); // 8 ms have passed at every second look
  const texts = Array.from({ length: 10 }, (_, i) => JSON.stringify({ type: "ADDED", object: pod(`p${i}`) }));
  await sink.events(frames(...texts));
  assertEquals([fifo.length, turns()], [10, 4]);
  const replacement = sink.beginReplace();
  await replacement.events(Array.from({ length: 10 }, (_, i) => item(pod(`p${i}`))));
  assertEquals(turns(), 8);
});

Deno.test("ObjectSink takes a few events without waiting for anything", () => {
  const { sink, fifo } = sinkOf({ lookMs: 0 });
  assertEquals(sink.events([event("ADDED", pod("a")), event("MODIFIED", pod("a", 2))]), undefined);
  assertEquals(fifo.length, 2);
});

Deno.test("ObjectSink: a full FIFO makes the caller wait", async () => {
  const { sink, fifo } = sinkOf({ lookMs: 0 });
  const added = event("ADDED", pod("a"));
  const waiting: unknown = sink.events(Array.from({ length: 2100 }, () => added));
  assertEquals([waiting instanceof Promise, fifo.length], [true, 2000]);
  fifo.close();
  await waiting;
  assertEquals(fifo.length, 2100);
});

Deno.test("ObjectSink: objects carry apiVersion and kind, never managedFields, and have been transformed before anybody sees them", async () => {
  await using it = rig();
  it.informer.setTransform((object) => ({ ...object, metadata: { ...object.metadata, labels: { seen: "yes" } } }));
  const seen: unknown[] = [];
  it.informer.addEventHandler({ onAdd: (object) => seen.push(object) });
  it.start();
  const metadata = '"name":"a","managedFields":[{"manager":"m"}],"resourceVersion":"1"';
  const replacement = it.source.sink.beginReplace();
  await replacement.events([item(`{"metadata":{${metadata}}}`)]);
  await replacement.commit("1");
  await it.source.events(["ADDED", pod("b", 2, { managedFields: [{ manager: "m" }] })]);
  await it.settle();
  const type = { kind: "Pod", apiVersion: "v1" };
  const labels = { seen: "yes" };
  const expected = [
    { ...type, metadata: { name: "a", resourceVersion: "1", labels } },
    { ...type, metadata: { ...pod("b", 2).metadata, labels } },
  ];
  assertEquals(seen, expected);
  assertEquals(it.informer.indexer.list(), expected as never);
});

Deno.test("ObjectSink: a re-list is decoded and indexed as its frames arrive and becomes visible as one delta, when it is committed", async () => {
  let decoded = 0;
  const { sink, fifo } = sinkOf({ lookMs: 0, transforms: [(object) => (decoded++, object)] });
  const replacement = sink.beginReplace();
  for (const name of ["a", "b", "c"]) await replacement.events([item(pod(name))]);
  assertEquals([decoded, fifo.length], [3, 0]);
  await replacement.commit("9");
  await fifo.pop(([delta, ...others]) => {
    const { objects, content } = delta as Delta<KubeObject> & { readonly type: "ReplacedAll" };
    assertEquals([delta.type, objects.length, content?.has("ns/b"), others.length], ["ReplacedAll", 3, true, 0]);
  });
  assertEquals([decoded, fifo.length], [3, 0]);
});

Deno.test("ObjectSink: no more than a hundred objects are logged in ten seconds; all are counted", async () => {
  await using it = rig();
  it.start();
  const send = async (count: number) => {
    for (let i = 0; i < count; i++) await it.source.events(["ADDED", { metadata: { resourceVersion: "4" } }]);
    await it.settle();
    return it.world.log.lines.length;
  };
  assertEquals([await send(60), await send(90)], [60, 100]);
  await it.world.clock.advance(10_000);
  assertEquals(await send(1), 101);
  assertEquals(it.metrics.counter(SKIPPED).value(["kubeloop", "", "v1", "pods", "no-name"]), 151);
});
