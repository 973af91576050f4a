import { assertEquals } from "@std/assert";
import { disruptionStep } from "../../../../src/controllers/node_lifecycle/disruption.ts";
import { countZone, evictionRate, type ZoneState } from "../../../../src/controllers/node_lifecycle/zone_state.ts";

const COUNTS: readonly (readonly [ready: number, unready: number, silent: number, state: ZoneState])[] = [
  [1, 0, 0, "Normal"],
  [0, 1, 0, "FullDisruption"],
  [0, 0, 1, "FullDisruption"],
  [1, 1, 0, "Normal"],
  [1, 2, 0, "Normal"],
  [3, 2, 0, "Normal"],
  [2, 3, 0, "PartialDisruption"],
  [2, 2, 1, "PartialDisruption"],
  [0, 2, 1, "FullDisruption"],
  [9, 11, 0, "PartialDisruption"],
  [10, 10, 0, "Normal"],
];

for (const [ready, unready, silent, state] of COUNTS) {
  Deno.test(`countZone: ${ready} ready, ${unready} not ready and ${silent} that say nothing are ${state}`, () => {
    const conditions = [
      ...Array(ready).fill({ type: "Ready", status: "True" }),
      ...Array(unready).fill({ type: "Ready", status: "Unknown" }),
      ...Array(silent).fill(undefined),
    ];
    const size = ready + unready + silent;
    assertEquals(countZone(conditions, 0.55), { size, unhealthy: unready + silent, state });
  });
}

Deno.test("evictionRate: only a large zone that is disrupted in part goes on, slowly", () => {
  const rates = { nodeEvictionRate: 0.1, secondaryNodeEvictionRate: 0.01, largeClusterSizeThreshold: 50 };
  assertEquals(evictionRate({ state: "Normal", size: 1 }, rates), 0.1);
  assertEquals(evictionRate({ state: "FullDisruption", size: 100 }, rates), 0.1);
  assertEquals(evictionRate({ state: "PartialDisruption", size: 50 }, rates), 0);
  assertEquals(evictionRate({ state: "PartialDisruption", size: 51 }, rates), 0.01);
});

const states = (text: string): Map<string, ZoneState> => {
  const NAMES: Record<string, ZoneState> = {
    I: "Initial",
    N: "Normal",
    P: "PartialDisruption",
    F: "FullDisruption",
  };
  return new Map([...text].map((letter, i) => [`zone-${i}`, NAMES[letter]]));
};

const STEPS: readonly (readonly [before: string, now: string, type: string, zones?: readonly string[]])[] = [
  ["", "", "none"],
  ["F", "F", "none"],
  ["FF", "FF", "none"],
  ["I", "F", "enter"],
  ["N", "F", "enter"],
  ["NF", "FF", "enter"],
  ["FF", "NF", "exit", ["zone-0", "zone-1"]],
  ["F", "P", "exit", ["zone-0"]],
  ["I", "N", "change", ["zone-0"]],
  ["NN", "NF", "change", ["zone-1"]],
  ["NF", "NF", "none"],
];

for (const [before, now, type, zones] of STEPS) {
  Deno.test(`disruptionStep from ${before || "no zone"} to ${now || "no zone"}: ${type}`, () => {
    const counts = new Map([...states(now)].map(([zone, state]) => [zone, { state }]));
    assertEquals(disruptionStep(states(before), counts), { type, ...zones && { zones } } as unknown);
  });
}
