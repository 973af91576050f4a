import { assertEquals, assertThrows } from "@std/assert";
import type { Pod } from "../../../src/api/mod.ts";
import { Deferred } from "../../../src/base/mod.ts";
import { contentOf, item, Journal, pod, rig } from "./fixtures.ts";

Deno.test("SharedInformer: the store is changed first, then handlers are notified in delta order; in a batch all store changes come first", async () => {
  await using it = rig();
  const seen: string[] = [];
  const note = (what: string) => seen.push(`${what}: ${contentOf(it.informer.indexer.list())}`);
  it.informer.addEventHandler({
    onAdd: () => note("add"),
    onUpdate: () => note("update"),
    onDelete: () => note("delete"),
  });
  it.start();
  await it.source.list([pod("a", 1), pod("b", 2)], 2);
  await it.settle();
  seen.splice(0);
  await it.source.events(["MODIFIED", pod("a", 3)], ["DELETED", pod("b", 4)], ["ADDED", pod("c", 5)]);
  await it.settle();
  assertEquals(seen, ["update: a@3,c@5", "delete: a@3,c@5", "add: a@3,c@5"]);
});

Deno.test("SharedInformer delivers every change of one object that the watch sent", async () => {
  await using it = rig();
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  it.start();
  await it.source.list([], 1);
  await it.source.events(["ADDED", pod("a", 2)], ["MODIFIED", pod("a", 3)], ["DELETED", pod("a", 4)], [
    "ADDED",
    pod("a", 5),
  ]);
  await it.settle();
  assertEquals(journal.take(), ["add a@2", "update a@2>3", "delete a@4", "add a@5"]);
});

Deno.test("SharedInformer decides between add and update by what is stored, not by the type of the event", async () => {
  await using it = rig();
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  it.start();
  await it.source.list([], 1);
  await it.source.events(["MODIFIED", pod("a", 2)]);
  await it.source.events(["ADDED", pod("a", 3)]);
  await it.settle();
  assertEquals(journal.take(), ["add a@2", "update a@2>3"]);
});

Deno.test("SharedInformer: a handler added late is told of every object in the store, once, as an add of the initial list, and of every change after that", async () => {
  await using it = rig();
  it.start();
  await it.source.list([pod("a", 1), pod("b", 2)], 2);
  await it.source.events(["ADDED", pod("c", 3)]);
  await it.settle();
  const journal = new Journal();
  const registration = it.informer.addEventHandler(journal);
  assertEquals(registration.hasSynced, false);
  await it.source.events(["MODIFIED", pod("a", 4)], ["ADDED", pod("d", 5)]);
  await it.settle();
  assertEquals(journal.take(), ["add a@1*", "add b@2*", "add c@3*", "update a@1>4", "add d@5"]);
  assertEquals(registration.hasSynced, true);
});

Deno.test("SharedInformer: a handler added while a re-list waits in the queue hears of it from the re-list alone", async () => {
  await using it = rig();
  it.start();
  const replacement = it.source.sink.beginReplace();
  await replacement.events([item(pod("a", 1))]);
  void replacement.commit("1"); // processed only when this test waits
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  await it.settle();
  assertEquals(journal.take(), ["add a@1*"]);
});

Deno.test("SharedInformer: the informer has synced when its first list was processed; a registration, when its handler was told all of it", async () => {
  await using it = rig();
  const gate = new Deferred();
  let calls = 0;
  const handler = { onAdd: () => (++calls === 2 ? gate.promise : undefined) as unknown as void };
  const registration = it.informer.addEventHandler(handler);
  it.start();
  await it.settle();
  assertEquals([it.informer.hasSynced, registration.hasSynced], [false, false]);
  await it.source.list([pod("a"), pod("b"), pod("c")], 1);
  await it.settle();
  assertEquals([calls, it.informer.hasSynced, registration.hasSynced], [2, true, false]);
  gate.resolve();
  await registration.whenSynced;
  assertEquals([calls, registration.hasSynced], [3, true]);
});

Deno.test("SharedInformer has synced after an empty list was processed, and so have its registrations", async () => {
  await using it = rig();
  const registration = it.informer.addEventHandler({});
  it.start();
  const synced = it.informer.whenSynced(new AbortController().signal);
  void it.source.sink.beginReplace().commit("1");
  assertEquals([it.informer.hasSynced, registration.hasSynced], [false, false]);
  assertEquals(await synced, true);
  assertEquals([it.informer.hasSynced, registration.hasSynced], [true, true]);
});

Deno.test("SharedInformer has not synced, and calls no handler, while only failed lists came", async () => {
  await using it = rig();
  const journal = new Journal();
  it.informer.addEventHandler(journal);
  it.start();
  for (let attempt = 0; attempt < 5; attempt++) {
    const replacement = it.source.sink.beginReplace();
    replacement.abort();
    await it.settle();
    assertEquals([it.informer.hasSynced, journal.lines.length], [false, 0]);
  }
  await it.source.list([pod("a")], 1);
  await it.settle();
  assertEquals([it.informer.hasSynced, journal.take()], [true, ["add a@1*"]]);
});

Deno.test("SharedInformer: a slow or failing handler delays neither the store nor other handlers", async () => {
  await using it = rig();
  const [quick, slow] = [new Journal(), new Journal()];
  let hour: Promise<void> | undefined;
  it.informer.addEventHandler({
    onAdd: async (object: Pod, isInInitialList) => {
      hour ??= new Promise((resolve) => it.world.clock.setTimer(3_600_000, resolve));
      await hour;
      slow.onAdd(object, isInInitialList);
    },
  });
  it.informer.addEventHandler({
    onAdd: () => {
      throw new Error("always");
    },
  });
  it.informer.addEventHandler(quick);
  it.start();
  await it.source.list([pod("a", 1), pod("b", 2)], 2);
  await it.source.events(["ADDED", pod("c", 3)]);
  await it.settle();
  assertEquals(contentOf(it.informer.lister.list()), ["a@1", "b@2", "c@3"]);
  assertEquals([quick.take(), slow.take()], [["add a@1*", "add b@2*", "add c@3"], []]);
  await it.world.clock.advance(3_600_000);
  assertEquals(slow.take(), ["add a@1*", "add b@2*", "add c@3"]);
});

Deno.test("SharedInformer: a removed handler is not called again after its current call", async () => {
  await using it = rig();
  const gate = new Deferred();
  let calls = 0;
  const registration = it.informer.addEventHandler({ onAdd: () => (calls++, gate.promise) as unknown as void });
  it.start();
  await it.source.list(Array.from({ length: 100 }, (_, i) => pod(`p${i}`)), 1);
  await it.settle();
  const removed = it.informer.removeEventHandler(registration);
  gate.resolve();
  await removed;
  await it.informer.removeEventHandler(registration); // the second time does nothing
  await it.source.events(["ADDED", pod("late", 2)]);
  await it.settle();
  assertEquals(calls, 1);
});

Deno.test("SharedInformer.removeEventHandler throws for what is not a registration", async () => {
  await using it = rig();
  const foreign = { hasSynced: true, whenSynced: Promise.resolve() };
  assertThrows(() => it.informer.removeEventHandler(foreign), TypeError, "not a registration of an informer");
});

Deno.test("SharedInformer.addIndexers works while it runs, and hasIndexer tells what is there", async () => {
  await using it = rig();
  it.start();
  await it.source.list([pod("a", 1)], 1);
  await it.settle();
  assertEquals(["namespace", "uid"].map((name) => it.informer.hasIndexer(name)), [true, false]);
  it.informer.addIndexers({ uid: (object) => [object.metadata?.uid ?? ""] });
  await it.source.events(["ADDED", pod("b", 2)]);
  await it.settle();
  assertEquals(contentOf(it.informer.indexer.byIndex("uid", "uid-a")), ["a@1"]);
  assertEquals(contentOf(it.informer.indexer.byIndex("uid", "uid-b")), ["b@2"]);
});

Deno.test("SharedInformer keeps an object whose index function throws, and counts it", async () => {
  await using it = rig({
    indexers: {
      bad: () => {
        throw new Error("oops");
      },
    },
  });
  it.start();
  await it.source.list([pod("a", 1)], 1);
  await it.settle();
  assertEquals(contentOf(it.informer.lister.list()), ["a@1"]);
  assertEquals(it.world.log.lines.map((line) => line.message), [
    "Index function failed; the object is not in that index",
  ]);
});
