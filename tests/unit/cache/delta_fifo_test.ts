import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { KubeObject } from "../../../src/api/mod.ts";
import { Deferred, settle } from "../../../src/base/mod.ts";
import { DeletedFinalStateUnknown, type Delta, DeltaFifo } from "../../../src/cache/mod.ts";
import { pod } from "./fixtures.ts";

function show(delta: Delta<KubeObject>): string {
  return "key" in delta ? `${delta.type} ${delta.key}` : delta.type;
}

/** Pops once; the shown deltas and whether they belong to the initial list. */
async function pop(fifo: DeltaFifo<KubeObject>): Promise<{ deltas: string[]; initial: boolean } | undefined> {
  let popped: { deltas: string[]; initial: boolean } | undefined;
  await fifo.pop((deltas, initial) => void (popped = { deltas: deltas.map(show), initial }));
  return popped;
}

async function popAll(fifo: DeltaFifo<KubeObject>): Promise<string[][]> {
  const all: string[][] = [];
  while (fifo.length > 0) all.push((await pop(fifo))!.deltas);
  return all;
}

Deno.test("DeltaFifo: deltas leave in the order in which they came; nothing is dropped or merged", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.add(pod("a", 1));
  void fifo.update(pod("a", 2));
  void fifo.delete(pod("a", 3));
  void fifo.bookmark("4");
  void fifo.delete(new DeletedFinalStateUnknown<KubeObject>("ns/b", undefined));
  assertEquals(fifo.length, 5);
  assertEquals(await popAll(fifo), [["Added ns/a"], ["Updated ns/a"], ["Deleted ns/a"], ["Bookmark"], [
    "Deleted ns/b",
  ]]);
  assertEquals(fifo.length, 0);
});

Deno.test("DeltaFifo: a pop hands over up to 1000 changes of distinct objects", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  for (let i = 0; i < 1500; i++) void fifo.add(pod(`p${i}`));
  const sizes = (await popAll(fifo)).map((deltas) => deltas.length);
  assertEquals(sizes, [1000, 500]);
});

Deno.test("DeltaFifo: a pop ends before a repeated key", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.add(pod("a", 1));
  void fifo.add(pod("b", 2));
  void fifo.update(pod("a", 3));
  assertEquals(await popAll(fifo), [["Added ns/a", "Added ns/b"], ["Updated ns/a"]]);
});

Deno.test("DeltaFifo: ReplacedAll, SyncAll and Bookmark are handed over alone", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.add(pod("a"));
  void fifo.replace([pod("b")], "2");
  void fifo.add(pod("c"));
  void fifo.resync();
  void fifo.bookmark("3");
  void fifo.add(pod("d"));
  assertEquals(await popAll(fifo), [["Added ns/a"], ["ReplacedAll"], ["Added ns/c"], ["SyncAll"], ["Bookmark"], [
    "Added ns/d",
  ]]);
});

Deno.test("DeltaFifo: a pop ends at the end of the initial population", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.replace([pod("a")], "1");
  void fifo.add(pod("b"));
  void fifo.add(pod("c"));
  assertEquals(await pop(fifo), { deltas: ["ReplacedAll"], initial: true });
  assertEquals(await pop(fifo), { deltas: ["Added ns/b", "Added ns/c"], initial: false });
});

Deno.test("DeltaFifo has not synced after replace([]) until the pop of it ended", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  assertEquals(fifo.hasSynced, false);
  void fifo.replace([], "1");
  assertEquals([fifo.hasSynced, fifo.length], [false, 1]);
  await fifo.pop(() => assertEquals(fifo.hasSynced, false));
  assertEquals(fifo.hasSynced, true);
});

Deno.test("DeltaFifo: it has synced once something populated it and the deltas queued by a first replace have been processed, not merely popped", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.replace([pod("a"), pod("b")], "1");
  const processing = new Deferred();
  const popped = fifo.pop((_deltas, isInInitialList) => {
    assertEquals(isInInitialList, true);
    return processing.promise;
  });
  await settle();
  assertEquals([fifo.length, fifo.hasSynced], [0, false]);
  processing.resolve();
  await popped;
  assertEquals(fifo.hasSynced, true);
  await fifo.whenSynced;
});

Deno.test("DeltaFifo: what was queued before the first replace is part of the initial population", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.bookmark("1");
  void fifo.replace([], "2");
  assertEquals((await pop(fifo))!.initial, true);
  assertEquals(fifo.hasSynced, false);
  assertEquals((await pop(fifo))!.initial, true);
  assertEquals(fifo.hasSynced, true);
});

Deno.test("DeltaFifo: an add before any replace makes it synced at once", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.add(pod("a"));
  assertEquals(fifo.hasSynced, true);
  assertEquals((await pop(fifo))!.initial, false);
});

Deno.test("DeltaFifo: once synced it stays synced; a pop belongs to the initial list if the queue had not synced when it began", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.replace([], "1");
  await pop(fifo);
  void fifo.replace([pod("a")], "2");
  assertEquals(fifo.hasSynced, true);
  assertEquals((await pop(fifo))!.initial, false);
});

Deno.test("DeltaFifo counts a batch as processed if its consumer throws", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.replace([], "1");
  await assertRejects(() => fifo.pop(() => Promise.reject(new Error("no"))), Error, "no");
  assertEquals(fifo.hasSynced, true);
  void fifo.add(pod("a"));
  await assertRejects(
    () =>
      fifo.pop(() => {
        throw new Error("neither");
      }),
    Error,
    "neither",
  );
  assertEquals(fifo.length, 0);
});

Deno.test("DeltaFifo: producers are asked to wait while 2000 or more deltas are waiting, until a batch ends", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.add(pod("first"));
  const processing = new Deferred();
  const popped = fifo.pop(() => processing.promise);
  await settle();
  for (let i = 0; i < 1999; i++) assertEquals(fifo.add(pod(`p${i}`)), undefined);
  let waited = false;
  const room: unknown = fifo.add(pod("last"));
  assert(room instanceof Promise);
  void Promise.resolve(room).then(() => waited = true);
  processing.resolve();
  await popped;
  await settle();
  assertEquals(waited, false); // still 2000 waiting
  await pop(fifo);
  await settle();
  assertEquals(waited, true);
  assertEquals(fifo.length, 1000);
});

Deno.test("DeltaFifo: after close, what is left can be popped; then pops say closed", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  void fifo.add(pod("a"));
  void fifo.bookmark("2");
  void fifo.update(pod("a", 3));
  fifo.close();
  for (let i = 0; i < 3; i++) assertEquals(await fifo.pop(() => {}), true);
  assertEquals(await fifo.pop(() => assert(false)), false);
});

Deno.test("DeltaFifo: a pop waiting for deltas ends when the queue is closed", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  const popped = fifo.pop(() => assert(false));
  await settle();
  fifo.close();
  assertEquals(await popped, false);
});

Deno.test("DeltaFifo: producers do not wait on a closed queue", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  let room: unknown;
  for (let i = 0; i < 2000; i++) room = fifo.add(pod(`p${i}`));
  assert(room instanceof Promise);
  fifo.close();
  await room;
  assertEquals(fifo.add(pod("late")), undefined);
});

Deno.test("DeltaFifo: there is one consumer: a second pop before the first ended is an error", async () => {
  const fifo = new DeltaFifo<KubeObject>();
  const first = fifo.pop(() => {});
  await assertRejects(() => fifo.pop(() => {}), Error, "another pop has not ended");
  fifo.close();
  await first;
});

Deno.test("DeltaFifo refuses an object without a name and queues nothing", () => {
  const fifo = new DeltaFifo<KubeObject>();
  assertThrows(() => fifo.add({ kind: "Pod" }), TypeError, "Cannot queue a change of Pod: it has no metadata.name");
  assertThrows(() => fifo.delete({ metadata: {} }), TypeError, "it has no metadata.name");
  assertEquals([fifo.length, fifo.hasSynced], [0, false]);
});
