import { assertEquals } from "@std/assert";
import type { PodCondition } from "../../../../src/api/mod.ts";
import { withPodCondition } from "../../../../src/controllers/pods/mod.ts";

const NOW_MS = Date.UTC(2026, 0, 2);
const [THEN, NOW] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
const ready: PodCondition = { type: "Ready", status: "True", lastTransitionTime: THEN };

Deno.test("withPodCondition() adds what was never said behind all else", () => {
  const said = { type: "DisruptionTarget", status: "True", reason: "R", message: "M" };
  const added = { ...said, lastTransitionTime: NOW };
  assertEquals(withPodCondition([ready], said, NOW_MS), [ready, added]);
  assertEquals(withPodCondition(undefined, said, NOW_MS), [added]);
});

Deno.test("withPodCondition() keeps the time of a status that stays, and forgets what is not said again", () => {
  const target = { type: "DisruptionTarget", status: "True", reason: "R", message: "M", lastTransitionTime: THEN };
  const again = { type: "DisruptionTarget", status: "True", reason: "S" };
  assertEquals(withPodCondition([target, ready], again, NOW_MS), [{ ...again, lastTransitionTime: THEN }, ready]);
  const taken = { type: "DisruptionTarget", status: "False" };
  assertEquals(withPodCondition([target, ready], taken, NOW_MS), [{ ...taken, lastTransitionTime: NOW }, ready]);
});
