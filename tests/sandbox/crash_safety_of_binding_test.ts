/** Claims and volumes whose manager is killed at each of its writes. */
import { assertEquals } from "@std/assert";
import { BINDING_CRASH_SCENARIOS, RECYCLING } from "../scenarios/binding_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";
import { run } from "./crashed_run.ts";

testCrashes(BINDING_CRASH_SCENARIOS);

// Who leads next does not know what the pod has done that it finds: it deletes it and runs another.
Deno.test("a volume is recycled in the end, whichever write its manager is killed at", async () => {
  const play = { scenario: RECYCLING, options: {} };
  const expected = await run(play);
  for (let atWrite = 1; atWrite <= expected.writes; atWrite++) {
    const actual = await run(play, { moment: "after", atWrite });
    assertEquals(actual.objects, expected.objects, `killed after write ${atWrite} of ${expected.writes}`);
  }
});
