import { assertEquals } from "@std/assert";
import type { ResourceSlice, ResourceV1ResourceClaim } from "../../../../src/api/mod.ts";
import { isExpired } from "../../../../src/controllers/resourcepoolstatusrequest/expiry.ts";
import { type PoolReport, reportPools } from "../../../../src/controllers/resourcepoolstatusrequest/pools.ts";

const DRIVER = "gpu.example.com";

interface SliceParts {
  readonly driver?: string;
  readonly pool?: string;
  readonly generation?: number;
  readonly expected?: number;
  readonly nodeName?: string;
  readonly devices?: number;
}

function slice(
  { driver = DRIVER, pool = "p", generation = 1, expected = 1, nodeName, devices = 4 }: SliceParts = {},
): ResourceSlice {
  return {
    spec: {
      driver,
      pool: { name: pool, generation, resourceSliceCount: expected },
      nodeName,
      devices: Array.from({ length: devices }, (_, i) => ({ name: `d${i}` })),
    },
  };
}

const claim = (...pools: string[]): ResourceV1ResourceClaim => ({
  spec: {},
  status: {
    allocation: { devices: { results: pools.map((pool) => ({ request: "r", driver: DRIVER, pool, device: "d" })) } },
  },
});

function report(
  slices: readonly ResourceSlice[],
  { claims = [], ...asked }: { claims?: ResourceV1ResourceClaim[]; poolName?: string; limit?: number } = {},
): PoolReport {
  const steps = reportPools({ spec: { driver: DRIVER, ...asked }, slices, claims });
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

/** Name, devices, taken, left. */
const brief = ({ pools }: PoolReport) =>
  pools.map((each) => [each.poolName, each.totalDevices, each.allocatedDevices, each.availableDevices]);

Deno.test("reportPools counts devices, those that are taken, and those that are left", () => {
  assertEquals(brief(report([slice()])), [["p", 4, 0, 4]]);
  assertEquals(brief(report([slice()], { claims: [claim("p"), claim("p", "q")] })), [["p", 4, 2, 2]]);
  assertEquals(brief(report([slice({ devices: 1 })], { claims: [claim("p", "p")] })), [["p", 1, 2, 0]]);
});

Deno.test("reportPools sees pools of the driver and name that are asked for alone", () => {
  const slices = [slice(), slice({ driver: "other.example.com" }), slice({ pool: "q" })];
  assertEquals(brief(report(slices)), [["p", 4, 0, 4], ["q", 4, 0, 4]]);
  assertEquals(brief(report(slices, { poolName: "q" })), [["q", 4, 0, 4]]);
  assertEquals(report([]), { count: 0, pools: [] });
});

Deno.test("reportPools adds up the slices of the newest generation", () => {
  const both = [slice({ expected: 2, nodeName: "n" }), slice({ expected: 2, nodeName: "n" })];
  assertEquals(report(both).pools, [{
    driver: DRIVER,
    poolName: "p",
    generation: 1,
    nodeName: "n",
    resourceSliceCount: 2,
    totalDevices: 8,
    allocatedDevices: 0,
    availableDevices: 8,
    unavailableDevices: 0,
  }]);
  const generations = [
    slice({ generation: 2, devices: 1 }),
    slice({ generation: 1 }),
    slice({ generation: 2, devices: 1 }),
  ];
  assertEquals(brief(report(generations)), [["p", 2, 0, 2]]);
});

Deno.test("reportPools names a node only if all slices have it", () => {
  const nodeOf = (...names: (string | undefined)[]) =>
    report(names.map((nodeName) => slice({ nodeName }))).pools[0].nodeName;
  assertEquals([nodeOf("a", "a"), nodeOf("a", "b"), nodeOf("a", undefined), nodeOf(undefined, "a")], [
    "a",
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("reportPools gives the first pools by name, and says how many there are", () => {
  const slices = ["e", "b", "d", "a", "c"].map((pool) => slice({ pool }));
  const found = report(slices, { limit: 2 });
  assertEquals([found.count, brief(found).map(([name]) => name)], [5, ["a", "b"]]);
  const many = Array.from({ length: 120 }, (_, i) => slice({ pool: `p${i}` }));
  assertEquals([report(many).count, report(many).pools.length], [120, 100]);
});

Deno.test("reportPools says what a pool lacks, in 256 characters", () => {
  const [{ validationError, totalDevices }] = report([slice({ expected: 3 })]).pools;
  const text = "pool gpu.example.com/p is incomplete: observed 1/3 slices at generation 1";
  assertEquals([validationError, totalDevices], [text, undefined]);
  assertEquals(report([slice({ expected: 3, pool: "p".repeat(253) })]).pools[0].validationError?.length, 256);
});

const NOW = Date.parse("2026-01-02T00:00:00Z");
const metadata = (creationTimestamp?: string) => ({ metadata: { creationTimestamp }, spec: { driver: DRIVER } });
const answered = (type: string, lastTransitionTime: string) => ({
  poolCount: 0,
  conditions: [{ type, status: "True", reason: "R", message: "", lastTransitionTime }],
});
const EXPIRY = [
  ["answered two hours ago", { ...metadata(), status: answered("Complete", "2026-01-01T22:00:00Z") }, true],
  ["failed an hour ago", { ...metadata(), status: answered("Failed", "2026-01-01T23:00:00Z") }, false],
  ["answered otherwise, made two hours ago", {
    ...metadata("2026-01-01T22:00:00Z"),
    status: answered("Odd", "2026-01-02T00:00:00Z"),
  }, true],
  ["pending for 25 hours", metadata("2025-12-31T23:00:00Z"), true],
  ["pending for 23 hours", metadata("2026-01-01T01:00:00Z"), false],
  ["without a time", metadata(), false],
  ["whose time nobody has set", metadata(null as unknown as string), false],
] as const;

for (const [what, request, expected] of EXPIRY) {
  Deno.test(`isExpired: a request ${what} ${expected ? "goes" : "stays"}`, () => {
    assertEquals(isExpired(request, NOW), expected);
  });
}
