import { assertEquals } from "@std/assert";
import { Deferred, FakeClock, settle, TurnBudget } from "../../../../src/base/mod.ts";
import { slowStart } from "../../../../src/controllers/pods/mod.ts";
import { aggregateErrors, startAll } from "../../../../src/controllers/running/mod.ts";
import { BusyClock } from "../../base/busy_clock.ts";

/** Calls succeed until `limit` of them were made. */
const CASES = [
  { name: "calls once when the first call fails", count: 10, limit: 0, calls: 1, successes: 0 },
  { name: "stops after the batch in which a limit of 5 is reached", count: 10, limit: 5, calls: 7, successes: 5 },
  { name: "stops after the second batch when its first call fails", count: 10, limit: 1, calls: 3, successes: 1 },
  { name: "makes every call when none fails", count: 10, limit: 10, calls: 10, successes: 10 },
  { name: "makes 15 of 100 calls when the eleventh fails", count: 100, limit: 10, calls: 15, successes: 10 },
  { name: "does nothing for a count of 0", count: 0, limit: 5, calls: 0, successes: 0 },
];

for (const { name, count, limit, ...expected } of CASES) {
  Deno.test(`slowStart ${name}`, async () => {
    let calls = 0;
    const result = await slowStart(
      count,
      () => ++calls > limit ? Promise.reject(new Error("full")) : Promise.resolve(),
      { clock: new FakeClock() },
    );
    assertEquals({ calls, successes: result.successes }, expected);
    assertEquals((result.error as Error | undefined)?.message, calls > limit ? "full" : undefined);
  });
}

Deno.test("slowStart runs the calls of a batch at the same time and waits for all of them", async () => {
  const running: Deferred[] = [];
  const done = slowStart(7, () => {
    running.push(new Deferred());
    return running.at(-1)!.promise;
  }, { clock: new FakeClock() });
  const batches: number[] = [];
  for (let from = 0; from < 7;) {
    await settle();
    batches.push(running.length - from);
    const batch = running.slice(from);
    from = running.length;
    batch.slice(1).forEach((call) => call.resolve());
    await settle();
    assertEquals(running.length, from, "one call of the batch is not done yet");
    batch[0].resolve();
  }
  assertEquals(batches, [1, 2, 4]);
  assertEquals(await done, { successes: 7, error: undefined, errors: [] });
});

Deno.test("slowStart: a batch leaves the event loop its turns, and a call that fails meanwhile is told in the end", async () => {
  const clock = new BusyClock();
  const { successes, errors } = await slowStart(127, async (i) => {
    if (i === 63) throw new Error("full");
    await Promise.resolve();
  }, { clock });
  assertEquals([successes, errors.map(String)], [126, ["Error: full"]]);
  assertEquals(clock.turns >= 127, true, `${clock.turns} turns`);
});

Deno.test("startAll: calls run at the same time, the event loop gets its turns between them, and failures are told in the end", async () => {
  const clock = new BusyClock();
  let running = 0;
  const last = new Deferred();
  const results = await startAll(50, async (i) => {
    running++;
    if (i === 0) throw new Error("full");
    if (running === 50) last.resolve();
    await last.promise;
    return i;
  }, new TurnBudget(clock));
  assertEquals(results.map((result) => result.status === "fulfilled" ? result.value : String(result.reason)), [
    "Error: full",
    ...Array.from({ length: 49 }, (_, i) => i + 1),
  ]);
  assertEquals(clock.turns, 50);
});

Deno.test("startAll: no more than 500 calls run at the same time", async () => {
  let running = 0;
  let most = 0;
  const results = await startAll(1200, async () => {
    most = Math.max(most, ++running);
    await settle();
    running--;
  }, new TurnBudget(new FakeClock()));
  assertEquals([results.length, running], [1200, 0]);
  assertEquals(most, 500);
});

Deno.test("aggregateErrors gives one error as it is and joins the distinct texts of several", () => {
  const error = new TypeError("a");
  assertEquals(aggregateErrors([]), undefined);
  assertEquals(aggregateErrors([error]), error);
  assertEquals(aggregateErrors([error, "a"])?.message, "a");
  assertEquals(aggregateErrors([error, new Error("b"), "a"])?.message, "[a, b]");
});
