import { assertEquals } from "@std/assert";
import { formatTime, type Pod } from "../../../src/api/mod.ts";
import {
  getPodCondition,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  podAvailableInMs,
} from "../../../src/rules/mod.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

function readySince(secondsAgo: number | undefined, status = "True"): Pod {
  const lastTransitionTime = secondsAgo === undefined ? undefined : formatTime(NOW_MS - secondsAgo * 1000);
  return { status: { conditions: [{ type: "Ready", status, lastTransitionTime }] } };
}

Deno.test("isPodReady goes by the first Ready condition", () => {
  assertEquals(isPodReady(readySince(1)), true);
  assertEquals(isPodReady(readySince(1, "Unknown")), false);
  assertEquals(isPodReady({}), false);
  const twice = { status: { conditions: [{ type: "Ready", status: "False" }, { type: "Ready", status: "True" }] } };
  assertEquals(isPodReady(twice), false);
  assertEquals(getPodCondition(twice, "Ready")?.status, "False");
});

Deno.test("isPodAvailable is false for a pod ready for 20 s of 30, with 10 s to go", () => {
  assertEquals(isPodAvailable(readySince(20), 30, NOW_MS), false);
  assertEquals(podAvailableInMs(readySince(20), 30, NOW_MS), 10_000);
});

Deno.test("isPodAvailable is true at the very moment", () => {
  assertEquals(isPodAvailable(readySince(30), 30, NOW_MS), true);
  assertEquals(isPodAvailable(readySince(30), 30, NOW_MS - 1), false);
  assertEquals(podAvailableInMs(readySince(30), 30, NOW_MS), 0);
});

Deno.test("isPodAvailable asks for a transition time only when there is a minimum", () => {
  assertEquals(isPodAvailable(readySince(undefined), 0, NOW_MS), true);
  assertEquals(isPodAvailable(readySince(undefined), 1, NOW_MS), false);
  assertEquals(podAvailableInMs(readySince(undefined), 1, NOW_MS), undefined);
  assertEquals(podAvailableInMs(readySince(5), 0, NOW_MS), undefined);
  assertEquals(isPodAvailable(readySince(50, "False"), 30, NOW_MS), false);
  assertEquals(podAvailableInMs(readySince(5, "False"), 30, NOW_MS), undefined);
});

Deno.test("isPodActive, isPodTerminating and isPodTerminal exclude each other by phase and deletion", () => {
  const pod = (phase: string, deletionTimestamp?: string): Pod => ({
    metadata: { deletionTimestamp },
    status: { phase },
  });
  const states = (p: Pod) => [isPodActive(p), isPodTerminating(p), isPodTerminal(p)];
  const deleted = formatTime(NOW_MS);
  assertEquals(states(pod("Running")), [true, false, false]);
  assertEquals(states(pod("Pending", deleted)), [false, true, false]);
  assertEquals(states(pod("Failed", deleted)), [false, false, true]);
  assertEquals(states(pod("Succeeded")), [false, false, true]);
  assertEquals(states({}), [true, false, false]);
});
