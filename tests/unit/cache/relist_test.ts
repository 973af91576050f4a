import { assertEquals, assertRejects } from "@std/assert";
import { contentOf, event, item, Journal, pod, rig } from "./fixtures.ts";

Deno.test("SharedInformer: a re-list is visible to all readers at once, and objects that vanished are reported as tombstones first", async () => {
  await using it = rig();
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  it.start();
  await it.source.list([pod("a", 1), pod("b", 2)], 3);
  await it.settle();
  assertEquals(journal.take(), ["add a@1*", "add b@2*"]);
  await it.source.list([pod("b", 5), pod("c", 6)], 9);
  await it.settle();
  assertEquals(journal.take(), ["tombstone a@1", "update b@2>5", "add c@6"]);
  assertEquals(contentOf(it.informer.indexer.list()), ["b@5", "c@6"]);
  assertEquals(it.informer.resourceVersion, "9");
});

Deno.test("SharedInformer: during the notifications of a re-list, readers see the complete new list", async () => {
  await using it = rig();
  const seen: string[][] = [];
  it.informer.addEventHandler({ onDelete: () => seen.push(contentOf(it.informer.indexer.list())) });
  it.start();
  await it.source.list([pod("a", 1), pod("b", 2)], 3);
  await it.source.list([pod("b", 5), pod("c", 6)], 9);
  await it.settle();
  assertEquals(seen, [["b@5", "c@6"]]);
});

Deno.test("SharedInformer: an object created again during a gap is an update with two uids, not a delete", async () => {
  await using it = rig();
  const uids: (string | undefined)[][] = [];
  it.informer.addEventHandler({
    onUpdate: (before, after) => uids.push([before.metadata?.uid, after.metadata?.uid]),
    onDelete: () => uids.push([]),
  });
  it.start();
  await it.source.list([pod("a", 1, { uid: "u1" })], 1);
  await it.source.list([pod("a", 2, { uid: "u2" })], 2);
  await it.settle();
  assertEquals(uids, [["u1", "u2"]]);
});

Deno.test("Processor of a SharedInformer: an update that changes nothing (same resource version) goes only to listeners whose replay is due", async () => {
  await using it = rig();
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  it.start();
  await it.source.list([pod("a", 1)], 1);
  await it.settle();
  journal.take();
  await it.source.list([pod("a", 1)], 8);
  await it.settle();
  assertEquals([journal.take(), it.informer.resourceVersion], [[], "8"]);
});

Deno.test("SharedInformer reports a delete even of an object it does not know", async () => {
  await using it = rig();
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  it.start();
  await it.source.list([], 1);
  await it.source.events(["DELETED", pod("ghost", 4)]);
  await it.settle();
  assertEquals(journal.take(), ["delete ghost@4"]);
});

Deno.test("SharedInformer advances its resource version with events, deletes and bookmarks", async () => {
  await using it = rig();
  it.start();
  const versions: string[] = [];
  const note = async () => (await it.settle(), versions.push(it.informer.resourceVersion));
  await it.source.events(["ADDED", pod("a", 5)]);
  await note();
  await it.source.sink.bookmark("8");
  await note();
  await it.source.events(["DELETED", pod("a", 9)]);
  await note();
  assertEquals(versions, ["5", "8", "9"]);
});

Deno.test("ObjectSink and Replacement: LIST items (type is empty) and ADDED/MODIFIED/DELETED events come in order; a later one of a key wins", async () => {
  await using it = rig();
  it.start();
  const replacement = it.source.sink.beginReplace();
  await replacement.events([event("ADDED", pod("a", 1)), event("ADDED", pod("b", 2)), event("MODIFIED", pod("a", 3))]);
  await replacement.events([event("DELETED", pod("b", 4))]);
  await it.settle();
  assertEquals([it.informer.hasSynced, it.informer.indexer.size], [false, 0]);
  await replacement.commit("5");
  await it.settle();
  assertEquals(contentOf(it.informer.indexer.list()), ["a@3"]);
});

Deno.test("ObjectSink discards a replacement when another one is begun, and when it is aborted", async () => {
  await using it = rig();
  it.start();
  const first = it.source.sink.beginReplace();
  await first.events([item(pod("a"))]);
  const second = it.source.sink.beginReplace();
  await first.events([item(pod("b"))]);
  await assertRejects(async () => await first.commit("1"), Error, "another one was begun");
  await second.events([item(pod("c"))]);
  second.abort();
  await assertRejects(async () => await second.commit("2"), Error, "aborted");
  await it.settle();
  assertEquals([it.informer.hasSynced, it.informer.indexer.size], [false, 0]);
});
