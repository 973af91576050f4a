import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import { OpenQuestions } from "../../../../src/manager/groups/open_questions.ts";
import { outcomeOf } from "../../client/test_server.ts";

Deno.test("OpenQuestions: each ends with its answer, or without one: after it waited too long, or after close", async () => {
  const clock = new FakeClock();
  const questions = new OpenQuestions(clock);
  const ids: number[] = [];
  const ask = () => outcomeOf(questions.ask({ about: "metrics" }, (id) => ids.push(id)));
  const [answered, late] = [ask(), ask()];
  questions.answer(ids[0], "metrics");
  await clock.advance(1499);
  assertEquals([answered.value, late.isSettled, questions.count], [["metrics"], false, 1]);
  await clock.advance(1);
  assertEquals([late.value, questions.count], [[], 0]);
  questions.answer(ids[1], "too late");
  const closed = ask();
  questions.close();
  await clock.advance(0);
  assertEquals([closed.value, questions.count, clock.pendingTimers], [[], 0, 0]);
});
