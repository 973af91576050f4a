import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { KubeObject } from "../../src/api/mod.ts";
import { type Delta, DeltaFifo } from "../../src/cache/mod.ts";
import { isObjectDelta } from "../../src/cache/delta.ts";
import { pod } from "../unit/cache/fixtures.ts";

const names = fc.constantFrom("a", "b", "c", "d", "e", "f");
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ change: fc.constantFrom("add", "update", "delete"), name: names }) },
    { weight: 1, arbitrary: fc.constantFrom("replace", "resync", "bookmark") },
    { weight: 2, arbitrary: fc.constant("pop") },
  ),
  { maxLength: 80 },
);

type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

/** Queues the step's delta and tells what is expected to come out for it. */
function push(fifo: DeltaFifo<KubeObject>, step: Exclude<Step, "pop">, count: number): string {
  if (typeof step === "object") {
    void fifo[step.change as "add" | "update" | "delete"](pod(step.name, count));
    const type = { add: "Added", update: "Updated", delete: "Deleted" }[step.change];
    return `${type} ns/${step.name} ${count}`;
  }
  if (step === "resync") void fifo.resync();
  else if (step === "bookmark") void fifo.bookmark(String(count));
  else void fifo.replace([], String(count));
  return { resync: "SyncAll", bookmark: `Bookmark ${count}`, replace: `ReplacedAll ${count}` }[step]!;
}

function show(delta: Delta<KubeObject>): string {
  if (isObjectDelta(delta)) {
    const object = delta.object as KubeObject;
    return `${delta.type} ${delta.key} ${object.metadata!.resourceVersion}`;
  }
  return delta.type === "SyncAll" ? "SyncAll" : `${delta.type} ${delta.resourceVersion}`;
}

Deno.test("DeltaFifo: deltas leave in the order in which they came, changes of distinct objects together, others alone", async () => {
  await fc.assert(fc.asyncProperty(steps, async (history) => {
    const fifo = new DeltaFifo<KubeObject>();
    const expected: string[] = [];
    const popped: string[] = [];
    let populated = false;
    let initialUntil: number | undefined; // how many deltas have to be processed before it has synced
    const hasSynced = () => populated && popped.length >= (initialUntil ?? 0);
    const pop = async () => {
      const before = hasSynced();
      await fifo.pop((deltas, isInInitialList) => {
        assertEquals(isInInitialList, !before);
        assertEquals(fifo.hasSynced, before);
        const whole = deltas.filter((delta) => !isObjectDelta(delta));
        assert(whole.length === 0 || deltas.length === 1);
        const keys = deltas.filter(isObjectDelta).map((delta) => delta.key);
        assertEquals(new Set(keys).size, keys.length);
        popped.push(...deltas.map(show));
      });
      assertEquals(fifo.hasSynced, hasSynced());
    };
    for (const step of history) {
      if (step === "pop") {
        if (fifo.length > 0) await pop();
        continue;
      }
      expected.push(push(fifo, step, expected.length + 1));
      if (step !== "resync" && step !== "bookmark") {
        if (!populated) initialUntil = step === "replace" ? expected.length : 0;
        populated = true;
      }
      assertEquals(fifo.length, expected.length - popped.length);
    }
    fifo.close();
    while (fifo.length > 0) await pop();
    assertEquals(popped, expected);
    assertEquals(await fifo.pop(() => {}), false);
  }));
});
