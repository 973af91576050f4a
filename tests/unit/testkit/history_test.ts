import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../src/base/mod.ts";
import { History } from "../../../src/testkit/history.ts";

Deno.test("History: entries are in the order in which things happened, each with the time since the start", async () => {
  const clock = new FakeClock();
  await clock.advance(5000);
  const history = new History(clock);
  history.note("one");
  await clock.advance(1500);
  history.note("two");
  assertEquals(history.dump().split("\n").map((line) => line.trim()), ["0.000s note     one", "1.500s note     two"]);
});

Deno.test("History: the last 5,000 are kept; how many were forgotten is said", () => {
  const history = new History(new FakeClock());
  for (let i = 0; i < 10_000; i++) history.note(`${i}.`);
  const [first, ...lines] = history.dump({ last: 10_000 }).split("\n");
  assertEquals([first, lines.length], ["... 5000 earlier entries", 5000]);
  assertEquals([lines[0].trim(), lines.at(-1)!.trim()], ["0.000s note     5000.", "0.000s note     9999."]);
  for (let i = 10_000; i < 50_000; i++) history.note(`${i}.`);
  assertEquals(history.dump({ last: 1 }).split("\n")[0], "... 49999 earlier entries");
});
