import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../src/base/mod.ts";
import { activities } from "../../src/api/mod.ts";
import { journaled } from "../../src/controllers/common/mod.ts";
import type { JournalEntry } from "../../src/controllers/mod.ts";

const WORK = { controller: "c", kind: "Pod", key: "a/p", causes: ["why"] };

function setUp() {
  const world = new FakeWorld();
  const entries: JournalEntry[] = [];
  return { world, entries, journal: { record: (entry: JournalEntry) => void entries.push(entry) } };
}

Deno.test("journaled writes down what was done, why and for how long", async () => {
  const { world, entries, journal } = setUp();
  const write = { verb: "delete", resource: "pods", kind: "Pod", key: "a/p" } as const;
  await journaled(WORK, { world, journal }, async () => {
    activities.current?.read("nodes", "n (live)", 1);
    await world.clock.advance(250);
    activities.current?.wrote(write);
  });
  assertEquals(entries, [{
    ...WORK,
    droppedCauses: 0,
    waitedMs: 0,
    startedMs: world.clock.wallMs() - 250,
    durationMs: 250,
    outcome: "done",
    error: undefined,
    reads: [{ resource: "nodes", what: "n (live)", count: 1 }],
    droppedReads: 0,
    writes: [write],
    droppedWrites: 0,
  }]);
});

Deno.test("journaled writes down a failure as given up, and passes it on", async () => {
  const { world, entries, journal } = setUp();
  const error = new Error("no");
  await assertRejects(() => journaled(WORK, { world, journal }, () => Promise.reject(error)), Error, "no");
  assertEquals(entries.map(({ outcome, error }) => [outcome, error]), [["forget", error]]);
});
