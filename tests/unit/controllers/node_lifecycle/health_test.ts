import { assertEquals } from "@std/assert";
import type { Node } from "../../../../src/api/mod.ts";
import { isLate, looked, type NodeHealth } from "../../../../src/controllers/node_lifecycle/health.ts";

const CREATED = "2026-01-01T00:00:00Z";
const GRACES = { startupGraceMs: 60_000, graceMs: 50_000 };

function node(heartbeat?: string): Node {
  const ready = { type: "Ready", status: "True", lastHeartbeatTime: heartbeat };
  return {
    metadata: { name: "n", creationTimestamp: CREATED },
    status: heartbeat === undefined ? {} : { conditions: [ready] },
  };
}

const leased = (renewTime?: string) => ({ spec: { renewTime } });
/** `1` for `2026-01-01T00:00:01`. */
const at = (second: number, micros = "") => `2026-01-01T00:00:0${second}${micros}Z`;

interface Step {
  /** Seconds since the node was created. */
  readonly second: number;
  readonly heartbeat?: string;
  /** Renewal of its lease; `null` for a lease without one. */
  readonly lease?: string | null;
}

/** When the node last gave a sign of life after these looks, in seconds, and whether it is late at the last. */
function look(...steps: readonly Step[]): [probed: number, isLate: boolean] {
  let health: NodeHealth | undefined;
  for (const { second, heartbeat, lease } of steps) {
    const nowMs = second * 1000;
    const wallMs = Date.parse(CREATED) + nowMs;
    const seen = lease === undefined ? undefined : leased(lease ?? undefined);
    health = looked(health, { node: node(heartbeat), lease: seen, nowMs, wallMs });
  }
  const { second, heartbeat } = steps.at(-1)!;
  return [health!.probedMs / 1000, isLate(health!, { node: node(heartbeat), nowMs: second * 1000 }, GRACES)];
}

const CASES: readonly (readonly [what: string, steps: readonly Step[], probed: number, isLate: boolean])[] = [
  ["that has never spoken has its startup grace from its creation", [{ second: 60 }], 0, false],
  ["that has never spoken is late afterwards, also where it is seen for the first time", [{ second: 61 }], 0, true],
  [
    "that has spoken before it was first seen has its grace from then",
    [{ second: 3600, heartbeat: at(1) }],
    3600,
    false,
  ],
  [
    "with the same heartbeat is late after its grace",
    [
      { second: 0, heartbeat: at(1) },
      { second: 50, heartbeat: at(1) },
      { second: 51, heartbeat: at(1) },
    ],
    0,
    true,
  ],
  [
    "with another heartbeat is not, though it went back in time",
    [
      { second: 0, heartbeat: at(5) },
      { second: 51, heartbeat: at(1) },
    ],
    51,
    false,
  ],
  [
    "with the same heartbeat and a renewed lease is not",
    [
      { second: 0, heartbeat: at(1), lease: at(1, ".000001") },
      { second: 51, heartbeat: at(1), lease: at(1, ".000002") },
    ],
    51,
    false,
  ],
  [
    "with a lease that went back, as a clock does that is set, is not",
    [
      { second: 0, heartbeat: at(1), lease: at(2) },
      { second: 51, heartbeat: at(1), lease: at(1) },
    ],
    51,
    false,
  ],
  [
    "with a lease that says nothing is late",
    [
      { second: 0, heartbeat: at(1), lease: null },
      { second: 51, heartbeat: at(1), lease: null },
    ],
    0,
    true,
  ],
  [
    "whose lease comes later has given a sign by that",
    [
      { second: 0, heartbeat: at(1) },
      { second: 51, heartbeat: at(1), lease: at(1) },
    ],
    51,
    false,
  ],
  [
    "with an old lease and a new heartbeat counts as renewed once more at the next look",
    [
      { second: 0, heartbeat: at(1), lease: at(1) },
      { second: 10, heartbeat: at(2), lease: at(1) },
      { second: 20, heartbeat: at(2), lease: at(1) },
      { second: 30, heartbeat: at(2), lease: at(1) },
    ],
    20,
    false,
  ],
  [
    "that speaks by its lease alone is never late",
    [{ second: 50, lease: at(1) }, { second: 100, lease: at(2) }],
    100,
    false,
  ],
  [
    "that speaks for the first time has its grace from then",
    [{ second: 10 }, { second: 55, heartbeat: at(1) }],
    55,
    false,
  ],
  [
    "that ceases to say how it is keeps the time of its last sign",
    [
      { second: 10, heartbeat: at(1) },
      { second: 70 },
    ],
    10,
    false,
  ],
  [
    "that ceases to say how it is is late after its startup grace",
    [{ second: 10, heartbeat: at(1) }, { second: 71 }],
    10,
    true,
  ],
];

for (const [what, steps, probed, late] of CASES) {
  Deno.test(`looked: a node ${what}`, () => assertEquals(look(...steps), [probed, late]));
}

Deno.test("looked: a node without a creation time was created now", () => {
  const health = looked(undefined, { node: { metadata: { name: "n" } }, lease: undefined, nowMs: 5, wallMs: 9 });
  assertEquals(health.probedMs, 5);
});
