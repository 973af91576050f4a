import { assertEquals } from "@std/assert";
import type { Pod } from "../../../../src/api/mod.ts";
import { nextAvailabilityCheckMs } from "../../../../src/controllers/pods/availability.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const readyFor = (seconds: number | undefined): Pod => ({
  status: {
    conditions: [{
      type: "Ready",
      status: seconds === undefined ? "False" : "True",
      lastTransitionTime: seconds === undefined ? undefined : new Date(NOW_MS - seconds * 1000).toISOString(),
    }],
  },
});

const CHECKS: { name: string; pods: Pod[]; laterMs?: number; expected: number | undefined }[] = [
  { name: "10 s for a pod ready for 20 of 30 s", pods: [readyFor(20)], expected: 10_000 },
  { name: "the soonest of several", pods: [readyFor(3), readyFor(29.5), readyFor(40)], expected: 500 },
  {
    name: "nothing for pods that are available or not ready",
    pods: [readyFor(30), readyFor(undefined)],
    expected: undefined,
  },
  { name: "what is left after the time since", pods: [readyFor(20)], laterMs: 4000, expected: 6000 },
  { name: "0 when the moment has passed since", pods: [readyFor(29)], laterMs: 2000, expected: 0 },
];
for (const { name, pods, laterMs = 0, expected } of CHECKS) {
  Deno.test(`nextAvailabilityCheckMs() gives ${name}`, () => {
    const times = { minReadySeconds: 30, evaluatedAtMs: NOW_MS, nowMs: NOW_MS + laterMs };
    assertEquals(nextAvailabilityCheckMs(pods, times), expected);
  });
}
