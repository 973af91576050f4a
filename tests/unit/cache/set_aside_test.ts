import { assertEquals } from "@std/assert";
import { type SetAsideBoard, setAsideLines } from "../../../src/cache/mod.ts";
import { SetAside } from "../../../src/cache/set_aside.ts";
import type { WatchFrame } from "../../../src/watch/mod.ts";
import { contentOf, type EventType, frames, item, Journal, pod, rig as rigOf } from "./fixtures.ts";

const LABELS = ["name", "group", "version", "resource"];
const SKIPPED = { name: "kubeloop_informer_skipped_objects_total", help: "", labels: [...LABELS, "reason"] };
const SET_ASIDE = { name: "kubeloop_informer_set_aside_objects", help: "", labels: LABELS };
const PODS_METRIC = ["kubeloop", "", "v1", "pods"];

/** A pod as an API server that lies may send it. */
function broken(name: string, rest = '"labels":["secret"]'): string {
  return `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ns",${rest},"name":"${name}"}}`;
}

function event(type: EventType, object: string): WatchFrame {
  return frames(`{"type":"${type}","object":${object}}`)[0];
}

function rig() {
  const board: SetAsideBoard = new Set();
  const it = rigOf({ setAside: board });
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  it.start();
  const skipped = (reason: string) => it.metrics.counter(SKIPPED).value([...PODS_METRIC, reason]);
  return {
    ...it,
    board,
    journal,
    skipped,
    content: () => contentOf(it.informer.indexer.list()),
    count: () => it.metrics.gauge(SET_ASIDE).value(PODS_METRIC),
    async listOf(...texts: readonly string[]): Promise<void> {
      const replacement = it.source.sink.beginReplace();
      await replacement.events(texts.map(item));
      await replacement.commit("9");
      await it.settle();
    },
    async send(type: EventType, object: string): Promise<void> {
      await it.source.sink.events([event(type, object)]);
      await it.settle();
    },
  };
}

const ok = (name: string, version = 1) => JSON.stringify(pod(name, version));

Deno.test("ObjectSink: an object that cannot be read, or whose transformer throws, costs itself only: it is set aside, counted and logged by name, and read again when it changes. Nothing is listed anew for it", async () => {
  await using it = rig();
  await it.listOf(ok("a"), broken("b"), ok("c"));
  assertEquals([it.content(), it.informer.hasSynced], [["a@1", "c@1"], true]);
  assertEquals([it.count(), it.skipped("unreadable")], [1, 1]);
  assertEquals(setAsideLines(it.board), ['pods "ns/b": metadata.labels is not an object']);
  const [line] = it.world.log.lines;
  assertEquals([line.severity, line.fields.object, line.fields.reason], ["error", "ns/b", "unreadable"]);
  assertEquals(JSON.stringify(line.fields).includes("secret"), false);

  await it.send("ADDED", broken("d"));
  await it.send("MODIFIED", ok("a", 2));
  assertEquals([it.content(), it.count()], [["a@2", "c@1"], 2]);
  await it.send("MODIFIED", ok("b", 3));
  await it.send("MODIFIED", ok("d", 4));
  assertEquals([it.content(), it.count(), setAsideLines(it.board)], [["a@2", "b@3", "c@1", "d@4"], 0, []]);
  assertEquals(it.journal.take(), ["add a@1*", "add c@1*", "update a@1>2", "add b@3", "add d@4"]);
});

Deno.test("ObjectSink: the cache keeps the version before of an object that is set aside, if it had one, through re-lists too, and removes it when the object is deleted", async () => {
  await using it = rig();
  await it.listOf(ok("a"), ok("b"), ok("c"));
  it.journal.take();
  await it.send("MODIFIED", broken("a"));
  await it.listOf(broken("a"), broken("b"), ok("c", 2), broken("d"));
  assertEquals([it.content(), it.count()], [["a@1", "b@1", "c@2"], 3]);
  assertEquals(it.informer.indexer.byIndex("namespace", "ns").length, 3);
  assertEquals(it.journal.take(), ["update c@1>2"]);
  await it.send("DELETED", broken("a"));
  assertEquals([it.content(), it.count(), it.journal.take()], [["b@1", "c@2"], 2, ["tombstone a@1"]]);
  assertEquals(it.skipped("unreadable"), 4);
  await it.listOf(ok("c", 2));
  assertEquals([it.content(), it.count(), it.journal.take()], [["c@2"], 0, ["tombstone b@1"]]);
});

Deno.test("ObjectSink keeps of an object that is set aside what waits in the queue, not what the store holds yet", async () => {
  await using it = rig();
  await it.listOf(ok("a"));
  const { sink } = it.source;
  await sink.events([event("MODIFIED", ok("a", 2))]);
  const replacement = sink.beginReplace();
  await replacement.events([item(broken("a"))]);
  await replacement.commit("9");
  await sink.events([event("DELETED", broken("a", '"uid":{}'))]);
  await it.settle();
  assertEquals(it.journal.take(), ["add a@1*", "update a@1>2", "tombstone a@2"]);
});

Deno.test("ObjectSink takes of one object's initial events the last that can be read", async () => {
  await using it = rig();
  const replacement = it.source.sink.beginReplace();
  await replacement.events([
    event("ADDED", ok("a")),
    event("MODIFIED", broken("a")),
    event("ADDED", broken("b")),
    event("MODIFIED", ok("b", 2)),
    event("ADDED", broken("c")),
    event("DELETED", broken("c")),
    event("ADDED", ok("d")),
    event("DELETED", broken("d")),
  ]);
  await replacement.commit("9");
  await it.settle();
  assertEquals([it.content(), setAsideLines(it.board)], [["a@1", "b@2"], [
    'pods "ns/a": metadata.labels is not an object',
  ]]);
});

Deno.test("ObjectSink sets an object aside whose transformer throws, in a list too", async () => {
  const board: SetAsideBoard = new Set();
  await using it = rigOf({ setAside: board });
  it.informer.setTransform((object) => {
    if (object.metadata?.name === "bad") throw new Error("oops");
    return object;
  });
  it.start();
  await it.source.list([pod("bad"), pod("good")], 3);
  await it.source.events(["ADDED", pod("bad", 2)], ["ADDED", pod("better", 3)]);
  await it.settle();
  assertEquals(contentOf(it.informer.indexer.list()), ["better@3", "good@1"]);
  assertEquals(it.metrics.counter(SKIPPED).value([...PODS_METRIC, "transform"]), 2);
  assertEquals(setAsideLines(board), ['pods "ns/bad": its transformer failed']);
});

Deno.test("ObjectSink reads an object nested as deep as an API server takes it, and sets aside one that is nested deeper", async () => {
  await using it = rig();
  const nested = (name: string, levels: number) =>
    broken(name, `"x":${'{"a":['.repeat(levels / 2)}1234567890123456789012${"]}".repeat(levels / 2)}`);
  await it.listOf(nested("a", 9_990), nested("b", 10_000), nested("c", 400_000));
  await it.send("MODIFIED", nested("a", 10_000));
  await it.send("MODIFIED", nested("b", 4_000_000));
  assertEquals(it.informer.indexer.keys(), ["ns/a", "ns/b"]);
  assertEquals(setAsideLines(it.board), [
    'pods "ns/c": it is nested deeper than 100000 levels',
    'pods "ns/b": it is nested deeper than 100000 levels',
  ]);
});

Deno.test("SharedInformer that ends shows nothing set aside any more", async () => {
  await using it = rig();
  await it.listOf(broken("a"));
  assertEquals([it.board.size, it.count()], [1, 1]);
  await it.stop();
  assertEquals([it.board.size, it.count()], [0, 0]);
});

Deno.test("SharedInformer keeps others whose index function throws or gives no list for one object", async () => {
  await using it = rig();
  const value = (name = "") => name === "b" ? (undefined as unknown as string[]) : [name];
  it.informer.addIndexers({ name: ({ metadata }) => value(metadata?.name) });
  await it.listOf(ok("a"), ok("b"), ok("c"));
  await it.send("MODIFIED", ok("b", 2));
  assertEquals([it.content(), it.informer.indexer.indexValues("name")], [["a@1", "b@2", "c@1"], ["a", "c"]]);
});

Deno.test("SetAside: it remembers a bounded number of keys, and nothing of what the objects hold", () => {
  const setAside = new SetAside("pods");
  for (let i = 0; i < 1500; i++) setAside.add({ key: `ns/p${i}`, reason: "it is not JSON" });
  assertEquals(setAside.size, 1000);
  const lines = setAsideLines(new Set([setAside, new SetAside("nodes")]));
  assertEquals([lines.length, lines[0], lines[10]], [11, 'pods "ns/p0": it is not JSON', "and 990 more"]);
});

Deno.test("SetAside shows a malformed name as one line", () => {
  const setAside = new SetAside("pods");
  setAside.add({ key: "a\n[+]all ok", reason: "it is not JSON" });
  assertEquals(setAsideLines(new Set([setAside])), ['pods "a\\n[+]all ok": it is not JSON']);
});

Deno.test("SetAside: an object is in it from when it cannot be read until a version of it can, until it is deleted, or until a list lacks it", async () => {
  await using it = rig();
  const names = () => setAsideLines(it.board).map((line) => line.split('"')[1]);
  await it.listOf(broken("a"), broken("b"), broken("c"));
  assertEquals(names(), ["ns/a", "ns/b", "ns/c"]);
  const readable = JSON.stringify(pod("a", 10));
  await it.source.sink.events([
    event("MODIFIED", readable),
    event("DELETED", broken("b")),
    event("ADDED", broken("d")),
  ]);
  await it.settle();
  assertEquals(names(), ["ns/c", "ns/d"]);
  await it.listOf(broken("d"), readable);
  assertEquals(names(), ["ns/d"]);
});
