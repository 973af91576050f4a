import { assertEquals, assertStrictEquals } from "@std/assert";
import { amountsText, quotaEvaluator } from "../../../../src/rules/mod.ts";
import { formatTime, PODS } from "../../../../src/api/mod.ts";
import { rememberingPods } from "../../../../src/controllers/resourcequota/evaluators.ts";
import { container, pod } from "./fixtures.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

Deno.test("rememberingPods computes what a pod counts for once for each of its states", () => {
  const { usage } = rememberingPods(quotaEvaluator(PODS));
  const before = pod("p", [container({ cpu: "1" })]);
  assertStrictEquals(usage(before, NOW_MS), usage(before, NOW_MS));
  assertEquals(usage(pod("p", [container({ cpu: "2" })]), NOW_MS).get("cpu")?.toString(), "2");
  assertEquals(usage(before, NOW_MS).get("cpu")?.toString(), "1");
});

Deno.test("rememberingPods sees that a pod's grace has ended, though the pod is the same", () => {
  const { usage } = rememberingPods(quotaEvaluator(PODS));
  const ending = pod("p", [], { deletionTimestamp: formatTime(NOW_MS), deletionGracePeriodSeconds: 30 });
  assertEquals(amountsText(usage(ending, NOW_MS)), "count/pods=1,pods=1");
  assertEquals(amountsText(usage(ending, NOW_MS + 30_001)), "count/pods=1");
});
