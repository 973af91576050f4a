import { assertEquals } from "@std/assert";
import type { PodCondition } from "../../../../src/api/mod.ts";
import { withCondition } from "../../../../src/controllers/running/mod.ts";

const NOW_MS = Date.UTC(2026, 0, 2);
const [THEN, NOW] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
const ready: PodCondition = { type: "Ready", status: "True", lastTransitionTime: THEN };

Deno.test("withCondition() adds what was never said behind all else", () => {
  const said = { type: "DisruptionTarget", status: "True", reason: "R", message: "M" };
  const added = { ...said, lastTransitionTime: NOW };
  assertEquals(withCondition([ready], said, NOW_MS), [ready, added]);
  assertEquals(withCondition(undefined, said, NOW_MS), [added]);
});

Deno.test("withCondition() keeps the time of a status that stays, and forgets what is not said again", () => {
  const target = { type: "DisruptionTarget", status: "True", reason: "R", message: "M", lastTransitionTime: THEN };
  const again = { type: "DisruptionTarget", status: "True", reason: "S" };
  assertEquals(withCondition([target, ready], again, NOW_MS), [{ ...again, lastTransitionTime: THEN }, ready]);
  const taken = { type: "DisruptionTarget", status: "False" };
  assertEquals(withCondition([target, ready], taken, NOW_MS), [{ ...taken, lastTransitionTime: NOW }, ready]);
});
