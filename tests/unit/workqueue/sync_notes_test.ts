import { assertEquals } from "@std/assert";
import { activities, type Write } from "../../../src/client/mod.ts";
import { FakeWorld, settle } from "../../../src/base/mod.ts";
import {
  Causes,
  MAX_READS,
  MAX_WRITES,
  runWorkers,
  SyncNotes,
  type SyncRecord,
  WorkQueue,
} from "../../../src/workqueue/mod.ts";

const note = (key: string): Write => ({
  note: { verb: "create", resource: "pods", kind: "Pod", key },
  bytes: key.length,
});

const notesOf = (key: string) => new SyncNotes({ key, causes: new Causes(), waitedMs: 0 }, 0);

Deno.test("SyncNotes: each look-up is kept once, with what it found the last time; each write, in order", () => {
  const notes = notesOf("a/b");
  assertEquals([notes.reads, notes.writes, notes.nextTryMs], [[], [], undefined]);
  notes.read("pods", "a/b", 0);
  notes.read("pods", "all", 7);
  notes.read("nodes", "all", 3);
  notes.read("pods", "a/b", 1);
  notes.wrote(note("a/x"));
  notes.wrote(note("a/x"));
  assertEquals(notes.reads, [
    { resource: "pods", what: "a/b", count: 1 },
    { resource: "pods", what: "all", count: 7 },
    { resource: "nodes", what: "all", count: 3 },
  ]);
  assertEquals(notes.writes.map(({ key }) => key), ["a/x", "a/x"]);
});

Deno.test("SyncNotes: there are never more than MAX_READS and MAX_WRITES; the rest is only counted", () => {
  const notes = notesOf("a/b");
  for (let i = 0; i < MAX_READS + 3; i++) notes.read("pods", `a/${i}`, 1);
  for (let i = 0; i < MAX_WRITES + 2; i++) notes.wrote(note(`a/${i}`));
  assertEquals([notes.reads.length, notes.droppedReads], [MAX_READS, 3]);
  assertEquals([notes.writes.length, notes.droppedWrites], [MAX_WRITES, 2]);
});

Deno.test("SyncNotes: of several delays of its own key the shortest counts; those of other keys do not", () => {
  const notes = notesOf("a/b");
  notes.putOff("a/c", 1);
  assertEquals(notes.nextTryMs, undefined);
  notes.putOff("a/b", 500);
  notes.putOff("a/b", 200);
  notes.putOff("a/b", 900);
  assertEquals(notes.nextTryMs, 200);
});

Deno.test("SyncNotes: after end nothing changes any more, whatever the sync has left running", () => {
  const notes = notesOf("a/b");
  notes.wrote(note("a/x"));
  notes.end("done", { durationMs: 1 });
  notes.read("pods", "a/b", 0);
  notes.wrote(note("a/y"));
  notes.putOff("a/b", 5);
  assertEquals([notes.reads.length, notes.writes.length, notes.nextTryMs], [0, 1, undefined]);
});

Deno.test("runWorkers tells of each sync what it alone read and wrote, also of several at a time", async () => {
  const world = new FakeWorld();
  const stop = new AbortController();
  const queue = new WorkQueue({ world });
  const records: [string, SyncRecord][] = [];
  for (const key of ["a/1", "a/2", "a/3"]) queue.add(key, "why");
  const running = runWorkers(queue, {
    workers: 3,
    world,
    signal: stop.signal,
    sync: async (key) => {
      activities.current?.read("pods", key, 1);
      await Promise.resolve();
      activities.current?.wrote(note(`${key}-x`));
    },
    onSynced: (key, record) => records.push([key, record]),
  });
  await settle();
  stop.abort();
  await running;
  assertEquals(
    records.map(([key, { reads, writes, causes }]) => [key, reads[0].what, writes[0].key, causes.texts[0]]).sort(),
    ["a/1", "a/2", "a/3"].map((key) => [key, key, `${key}-x`, "why"]),
  );
});

Deno.test("runWorkers tells when a key is due again: after a failure, and if its sync put it off", async () => {
  const world = new FakeWorld();
  const queue = new WorkQueue({ world });
  const stop = new AbortController();
  const records: [string, SyncRecord][] = [];
  queue.add("a/fails");
  queue.add("a/waits");
  const running = runWorkers(queue, {
    workers: 1,
    world,
    signal: stop.signal,
    sync: (key) => {
      if (key === "a/fails") return Promise.reject(new Error("no"));
      queue.addAfter(key, 5000);
      queue.addAfter("a/other", 10);
      return Promise.resolve();
    },
    onSynced: (key, record) => records.push([key, record]),
  });
  await settle();
  stop.abort();
  await running;
  assertEquals(
    records.map(([key, { outcome, nextTryMs }]) => [key, outcome, nextTryMs]),
    [["a/fails", "retry", 5], ["a/waits", "done", 5000]],
  );
});

Deno.test("SyncNotes: what ended well and wrote nothing is idle; a failure is a text, bounded", () => {
  const [idle, failed, wrote] = [notesOf("a/b"), notesOf("a/b"), notesOf("a/b")];
  wrote.wrote(note("a/x"));
  for (const notes of [idle, wrote]) notes.end("done", { durationMs: 1 });
  failed.end("retry", { durationMs: 1, error: new Error("x".repeat(10_000)) });
  assertEquals([idle, failed, wrote].map(({ isIdle }) => isIdle), [true, false, false]);
  assertEquals([idle.error, failed.error], [undefined, "x".repeat(500)]);
});
