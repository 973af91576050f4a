import { assert, assertEquals } from "@std/assert";
import { FakeClock, nextInLine, nextTurn, settle } from "../../../src/base/mod.ts";
import { BusyClock } from "./busy_clock.ts";

Deno.test("nextInLine: callers go on in the order in which they came, after a turn of the event loop", async () => {
  const clock = new FakeClock();
  const order: number[] = [];
  const done = Promise.all([0, 1, 2].map((i) => nextInLine(clock).then(() => void order.push(i))));
  await Promise.resolve();
  assertEquals(order, []);
  await nextTurn();
  await settle();
  assertEquals(order, [0, 1, 2]);
  await done;
});

Deno.test("nextInLine: those who go on in one turn of the event loop stop following each other after TURN_BUDGET_MS", async () => {
  const clock = new BusyClock({ lookMs: 3 });
  const turnOf: number[] = [];
  await Promise.all(Array.from({ length: 30 }, () => nextInLine(clock).then(() => void turnOf.push(clock.turns))));
  const atOnce = Math.max(...turnOf.map((turn) => turnOf.filter((other) => other === turn).length));
  assert(atOnce <= 4 && clock.turns >= 8, `${atOnce} at once, ${clock.turns} turns`);
});

Deno.test("nextInLine: whoever comes back goes behind those who wait, so that nobody starves", async () => {
  const clock = new BusyClock();
  const order: string[] = [];
  const busy = async () => {
    for (let i = 0; i < 5; i++) {
      await nextInLine(clock);
      order.push("busy");
    }
  };
  const late = async () => {
    await nextInLine(clock);
    order.push("late");
  };
  await Promise.all([busy(), busy(), late()]);
  assertEquals(order.indexOf("late"), 2);
});
