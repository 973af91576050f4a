import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { activities } from "../../../../src/client/mod.ts";
import { journaled } from "../../../../src/controllers/running/mod.ts";
import type { JournalEntry } from "../../../../src/controllers/mod.ts";

const WORK = { controller: "c", kind: "Pod", key: "a/p", cause: "why" };

function setUp() {
  const world = new FakeWorld();
  const entries: JournalEntry[] = [];
  return { world, entries, journal: { record: (entry: JournalEntry) => void entries.push(entry) } };
}

Deno.test("journaled writes down what was done, why and for how long", async () => {
  const { world, entries, journal } = setUp();
  const note = { verb: "delete", resource: "pods", kind: "Pod", key: "a/p" } as const;
  await journaled(WORK, { world, journal }, async () => {
    activities.current?.read("nodes", "n (live)", 1);
    await world.clock.advance(250);
    activities.current?.wrote({ note, bytes: 3 });
  });
  const [{ controller, kind, key, record }] = entries;
  assertEquals([entries.length, controller, kind, key], [1, "c", "Pod", "a/p"]);
  assertEquals([record.causes.texts, record.outcome, record.error, record.isIdle], [["why"], "done", undefined, false]);
  assertEquals([record.waitedMs, record.startedMs, record.durationMs], [0, world.clock.wallMs() - 250, 250]);
  assertEquals(record.reads, [{ resource: "nodes", what: "n (live)", count: 1 }]);
  assertEquals(record.writes, [note]);
});

Deno.test("journaled writes down a failure as given up, and passes it on", async () => {
  const { world, entries, journal } = setUp();
  await assertRejects(() => journaled(WORK, { world, journal }, () => Promise.reject(new Error("no"))), Error, "no");
  assertEquals(entries.map(({ record: { outcome, error } }) => [outcome, error]), [["forget", "no"]]);
});
