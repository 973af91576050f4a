import { assertEquals, assertThrows } from "@std/assert";
import {
  type PodsInput,
  replicasByAverage,
  replicasByRatio,
  replicasByShare,
  replicasByUtilization,
  sumOfValues,
  sumToShare,
  toInt32,
  tolerancesOf,
} from "../../../../src/controllers/horizontal_pod_autoscaler/calculation/mod.ts";
import {
  groupPods,
  requestsOf,
} from "../../../../src/controllers/horizontal_pod_autoscaler/calculation/pod_figures.ts";
import { milliOf } from "../../../../src/controllers/horizontal_pod_autoscaler/metrics_api/mod.ts";
import { NOW_MS } from "../fake_times.ts";
import { input, metrics, pod, pods } from "./fixtures.ts";

/** How many replicas the figures of pods, and of other things, ask for. */

const CPU = { resource: "cpu", hasPodLevel: true };

function byUtilization(current: number, target: number, traits: Partial<PodsInput>) {
  const { replicas, utilization } = replicasByUtilization(input(current, { resource: "cpu", ...traits }), target, CPU);
  return [replicas, utilization];
}

const STARTING = { isReady: false, startedMs: NOW_MS - 60_000 };
const TABLE: readonly [name: string, run: () => unknown[], expected: unknown[]][] = [
  // A pod that starts counts only where its share would be added to.
  [
    "a pod that starts, and just the use that is wanted",
    () => byUtilization(3, 100, { pods: pods(3, { 2: STARTING }), metrics: metrics(1000, 1000, 0) }),
    [3, 100],
  ],
  [
    "less use, but more pods than are wanted now",
    () => byUtilization(1, 100, { pods: pods(4), metrics: metrics(100, 100) }),
    [1, 10],
  ],
  [
    "more use, but fewer pods than are wanted now",
    () => byUtilization(10, 100, { pods: pods(2), metrics: metrics(3000) }),
    [10, 300],
  ],
  ["more use than wanted", () => byUtilization(3, 30, { metrics: metrics(300, 500, 700) }), [5, 50]],
  [
    "a pod that starts and uses none",
    () => byUtilization(3, 30, { pods: pods(3, { 0: STARTING }), metrics: metrics(300, 500, 700) }),
    [4, 60],
  ],
  [
    "pods that start",
    () => byUtilization(3, 30, { pods: pods(3, { 1: STARTING, 2: STARTING }), metrics: metrics(400, 500, 700) }),
    [3, 40],
  ],
  [
    "failed pods",
    () =>
      byUtilization(2, 30, {
        pods: pods(4, { 2: { phase: "Failed" }, 3: { phase: "Failed" } }),
        metrics: metrics(500, 700),
      }),
    [4, 60],
  ],
  [
    "pods that end",
    () =>
      byUtilization(2, 30, {
        pods: pods(4, { 2: { isDeleting: true }, 3: { isDeleting: true } }),
        metrics: metrics(500, 700),
      }),
    [4, 60],
  ],
  ["pods without figures, less use", () => byUtilization(4, 100, { metrics: metrics(400, 95) }), [3, 24]],
  [
    "more figures than pods",
    () => byUtilization(4, 30, { pods: pods(4), metrics: metrics(950, 950, 950, 950, 1, 1) }),
    [13, 95],
  ],
  ["a pod without a figure that may use all", () => byUtilization(2, 100, { metrics: metrics(600) }), [2, 60]],
  ["a pod without a figure that may use none", () => byUtilization(2, 100, { metrics: metrics(1900) }), [2, 190]],
  ["no tolerance at all", () =>
    byUtilization(3, 100, {
      pods: pods(3, { 0: { requests: ["0.9"] }, 1: { requests: ["1.0"] }, 2: { requests: ["1.1"] } }),
      metrics: metrics(909, 1010, 1111),
      tolerances: { down: 0, up: 0 },
    }), [4, 101]],
  [
    "a large tolerance upwards",
    () => byUtilization(3, 100, { metrics: metrics(1900, 1900, 1900), tolerances: { down: 0.1, up: 2 } }),
    [3, 190],
  ],
  [
    "a tolerance downwards that is kept",
    () => byUtilization(3, 100, { metrics: metrics(650, 650, 650), tolerances: { down: 0.36, up: 0.1 } }),
    [3, 65],
  ],
  [
    "a tolerance downwards that is not",
    () => byUtilization(3, 100, { metrics: metrics(650, 650, 650), tolerances: { down: 0.34, up: 0.1 } }),
    [2, 65],
  ],
  ["sums beyond 2^53", () => {
    const { replicas, average } = replicasByAverage(
      input(2, { resource: "memory", metrics: metrics(2 ** 53, 2 ** 53 + 2) }),
      2n ** 52n,
    );
    return [replicas, average];
  }, [4, 2n ** 53n + 1n]],
  ["an average", () => {
    const { replicas, average } = replicasByAverage(input(3, { metrics: metrics(20_000, 10_000, 30_000) }), 15_000n);
    return [replicas, average];
  }, [4, 20_000n]],
];

for (const [name, run, expected] of TABLE) {
  Deno.test(`The replicas that pods ask for: ${name}`, () => assertEquals(run(), expected));
}

Deno.test("replicasByUtilization says what it has not", () => {
  const fails = (traits: Partial<PodsInput>, message: string) =>
    assertThrows(() => byUtilization(2, 30, traits), Error, message);
  fails({ pods: [], metrics: metrics(1) }, "no pods returned by selector while calculating replica count");
  fails({ metrics: metrics() }, "did not receive metrics for targeted pods (pods might be unready)");
  fails(
    { pods: pods(2, {}, { phase: "Pending" }), metrics: metrics(1, 1) },
    "did not receive metrics for targeted pods (pods might be unready)",
  );
  fails({ pods: [pod("other")], metrics: metrics(1) }, "no metrics returned matched known pods");
  fails(
    { pods: pods(2, { 1: { requests: ["1", null], phase: "Failed" } }), metrics: metrics(1) },
    "missing request for cpu in container c1 of Pod p1",
  );
});

Deno.test("requestsOf counts sidecars, one container, or the pod as a whole", () => {
  const two = pod("p", { requests: ["1", "250m"] });
  const withSidecar = {
    ...two,
    spec: {
      ...two.spec!,
      initContainers: [
        { name: "side", image: "x", restartPolicy: "Always", resources: { requests: { cpu: "100m" } } },
        { name: "once", image: "x" },
      ],
    },
  };
  const whole = { ...two, spec: { ...two.spec!, resources: { requests: { cpu: "2" } }, overhead: { cpu: "10m" } } };
  const requests = (which: typeof two, query = {}) => requestsOf([which], { ...CPU, ...query }).get("p");
  assertEquals(requests(two), 1250n);
  assertEquals(requests(withSidecar), 1350n);
  assertEquals(requests(withSidecar, { container: "side" }), 100n);
  assertEquals(requests(two, { container: "c1" }), 250n);
  assertEquals(requests(whole), 2010n);
  assertEquals(requests(whole, { container: "c0" }), 1000n);
  assertEquals(requests(whole, { hasPodLevel: false }), 1250n);
  assertThrows(() => requests(two, { container: "no" }), Error, "container no not found in Pod p");
  const inherited = () => requests(two, { resource: "constructor", container: "c0" });
  assertThrows(inherited, Error, "missing request for constructor in container c0 of Pod p");
  const memoryOnly = { ...two, spec: { containers: [], resources: { requests: { memory: "1Gi" } } } };
  assertThrows(() => requests(memoryOnly), Error, "missing pod-level request for cpu in Pod p");
});

Deno.test("groupPods takes the processor time of young pods with care", () => {
  const minute = 60_000;
  const options = { resource: "cpu", nowMs: NOW_MS, cpuInitializationMs: 5 * minute, initialReadinessMs: 30_000 };
  const isReady = (traits: Parameters<typeof pod>[1], resource = "cpu") =>
    groupPods([pod("p0", traits)], metrics(1), { ...options, resource }).ready === 1;
  const young = { startedMs: NOW_MS - 2 * minute };
  assertEquals(isReady({ ...young, changedMs: NOW_MS - 30_000 }), true, "a whole window since it became ready");
  assertEquals(isReady({ ...young, changedMs: NOW_MS - 29_000 }), false, "less than a window");
  assertEquals(isReady({ ...young, isReady: false }), false, "not ready");
  const old = { startedMs: NOW_MS - 10 * minute, isReady: false };
  assertEquals(isReady({ ...old, changedMs: old.startedMs + 29_000 }), false, "never was ready");
  assertEquals(isReady({ ...old, changedMs: old.startedMs + 30_000 }), true, "was ready once");
  assertEquals(isReady({ ...old, changedMs: old.startedMs }, "memory"), true, "memory is memory");
  const bare = pod("p0");
  const without = { ...bare, status: { ...bare.status, conditions: [] } };
  assertEquals(groupPods([without], metrics(1), options).unready, new Set(["p0"]));
});

Deno.test("replicasByRatio scales with the pods that are ready", () => {
  const tolerances = { down: 0.1, up: 0.1 };
  const all = () => pods(4, { 3: { isReady: false } });
  const of = (usage: bigint, current = 4, target = 10n) =>
    replicasByRatio({ usage, target }, { current, pods: all, tolerances });
  assertEquals([of(10n), of(11n), of(20n), of(5n), of(0n)], [4, 4, 6, 2, 0]);
  assertEquals([of(0n, 0), of(1n, 0), of(21n, 0)], [0, 1, 3], "from none");
  assertEquals(of(2n ** 63n - 1n), 2 ** 31 - 1);
  assertThrows(
    () => replicasByRatio({ usage: 20n, target: 10n }, { current: 1, pods: () => [], tolerances }),
    Error,
    "unable to calculate ready pods: no pods returned by selector while calculating replica count",
  );
});

Deno.test("replicasByRatio tolerates just as much as it is told", () => {
  const tolerances = { down: 0.5, up: 0.5 };
  const of = (usage: bigint) =>
    replicasByRatio({ usage, target: 100n }, { current: 3, pods: () => pods(3), tolerances });
  assertEquals([of(50n), of(150n), of(49n), of(151n)], [3, 3, 2, 5]);
});

Deno.test("toInt32 cuts off, and stays within 32 bits", () => {
  assertEquals([toInt32(1.9), toInt32(-1.9), toInt32(0), toInt32(NaN)], [1, -1, 0, 0]);
  assertEquals([toInt32(-Infinity), toInt32(-(2 ** 31)), toInt32(Infinity)], [-(2 ** 31), -(2 ** 31), 2 ** 31 - 1]);
});

Deno.test("replicasByShare divides among the replicas there are, be it none", () => {
  const tolerances = { down: 0.1, up: 0.1 };
  const of = (usage: bigint, count: number) => replicasByShare({ usage, target: 10n }, { count, tolerances });
  assertEquals(of(30n, 3), { replicas: 3, average: 10n });
  assertEquals(of(61n, 3), { replicas: 7, average: 21n });
  assertEquals(of(25n, 0), { replicas: 3, average: 25n });
  assertEquals(of(0n, 0), { replicas: 0, average: 0n });
  assertEquals(of(2n ** 63n - 1n, 3), { replicas: 2 ** 31 - 1, average: 2n ** 63n - 1n });
});

Deno.test("sumOfValues stops at what 64 bits hold", () => {
  assertEquals(sumOfValues([1n, 2n, -1n]), 2n);
  assertEquals(sumOfValues([2n ** 63n - 1n, 5n]), 2n ** 63n - 1n);
  assertEquals(sumOfValues([2n ** 63n - 1n, 5n, -9n]), 2n ** 63n - 1n);
  assertEquals(sumOfValues([-5n, 2n]), -3n);
});

Deno.test("sumToShare takes a sum that falls below zero under way for the largest, as upstream does", () => {
  assertEquals(sumToShare([1n, 2n, -1n]), 2n);
  assertEquals(sumToShare([2n ** 63n - 1n, 5n]), 2n ** 63n - 1n);
  assertEquals(sumToShare([-5n, 7n]), 2n ** 63n - 1n);
});

Deno.test("tolerancesOf multiplies as upstream does, where that is not the nearest number", () => {
  const tolerances = tolerancesOf({ scaleDown: { tolerance: "410m" }, scaleUp: { tolerance: "2" } }, 0.1);
  assertEquals(tolerances, { down: 410 * 0.001, up: 2 });
  const at59 = replicasByUtilization(input(3, { metrics: metrics(590, 590, 590), tolerances }), 100, CPU);
  assertEquals(at59.replicas, 3);
  assertEquals(tolerancesOf({ scaleDown: { tolerance: "1500u" } }, 0.1), { down: 1500 * 1e-6, up: 0.1 });
});

Deno.test("replicasByAverage() and replicasByUtilization() overflow as upstream's 64 bits do", () => {
  const six = 6 * 10 ** 18;
  assertEquals(replicasByAverage(input(2, { metrics: metrics(six, six) }), 1000n).average, -3_223_372_036_854_775_808n);
  const used = replicasByUtilization(input(2, { metrics: metrics(10 ** 17, 0) }), 50, {
    resource: "cpu",
    hasPodLevel: true,
  });
  assertEquals([used.utilization! < 0, used.replicas <= 0], [true, true]);
});

Deno.test("milliOf() takes what is too large to be scaled step by step for nothing, as upstream does", () => {
  assertEquals([milliOf("9e18"), milliOf("-9e18"), milliOf("9e15")], [0n, 0n, 9_000_000_000_000_000_000n]);
});
