import { assertEquals, assertThrows } from "@std/assert";
import type { Deployment, ReplicaSet } from "../../../../src/api/mod.ts";
import {
  currentSize,
  maxReduction,
  planCurrent,
  surplusReductions,
  unhealthyReductions,
} from "../../../../src/controllers/deployment/rolling_update.ts";
import { deployment, replicaSet } from "./fixtures.ts";

const surge2 = deployment({ replicas: 10, maxSurge: 2 });
const unavailable2 = deployment({ replicas: 10, maxUnavailable: 2 });

const GROWTH: { name: string; of: Deployment; old: number; size: number; expected: number }[] = [
  { name: "grows by the surge", of: surge2, old: 10, size: 0, expected: 2 },
  { name: "grows by what is left of the surge", of: surge2, old: 10, size: 1, expected: 2 },
  { name: "keeps its size once the surge is used up", of: surge2, old: 10, size: 2, expected: 2 },
  { name: "keeps its size above the surge", of: surge2, old: 12, size: 3, expected: 3 },
  { name: "grows no further than wanted", of: surge2, old: 0, size: 5, expected: 10 },
  { name: "shrinks to what is wanted", of: surge2, old: 2, size: 11, expected: 10 },
  { name: "rounds a percentage up", of: deployment({ replicas: 10, maxSurge: "11%" }), old: 10, size: 0, expected: 2 },
];
for (const { name, of, old, size, expected } of GROWTH) {
  Deno.test(`planCurrent() ${name}`, () => {
    const current = replicaSet("r-1", size);
    assertEquals(planCurrent(of, { current, old: [replicaSet("r-2", old)] }, current), expected);
  });
}

Deno.test("currentSize() throws without a maxSurge and for an unknown strategy, and is all with Recreate", () => {
  const noSurge = deployment();
  noSurge.spec!.strategy!.rollingUpdate = undefined;
  assertThrows(() => currentSize(noSurge, { size: 0, total: 0 }), Error, "nil value for IntOrString");
  const unknown = deployment({ type: "Odd" });
  assertThrows(() => currentSize(unknown, { size: 0, total: 0 }), Error, "deployment type Odd isn't supported");
  assertEquals(currentSize(deployment({ replicas: 7, type: "Recreate" }), { size: 0, total: 9 }), 7);
});

/** What becomes of the old ReplicaSets `[size, available]`, oldest first, beside a current one. */
function reduce(
  of: Deployment,
  current: ReplicaSet,
  old: [number, number][],
): { unhealthy: number[]; after: number[] } {
  let made = old.map(([size, available], i) => replicaSet(`r-${99 - i}`, size, { available }));
  const limit = maxReduction(of, { current, old: made }, current);
  if (limit <= 0) return { unhealthy: old.map(([size]) => size), after: old.map(([size]) => size) };
  const apply = (reductions: Iterable<{ replicaSet: ReplicaSet; replicas: number }>) => {
    const sizes = new Map(Array.from(reductions, ({ replicaSet, replicas }) => [replicaSet, replicas]));
    made = made.map((one) => sizes.has(one) ? { ...one, spec: { ...one.spec!, replicas: sizes.get(one) } } : one);
    return made.map(({ spec }) => spec!.replicas!);
  };
  const unhealthy = apply(unhealthyReductions(made.toReversed(), limit));
  return { unhealthy, after: apply(surplusReductions(of, { current, old: made.toReversed() })) };
}

const SHRINKING: {
  name: string;
  of: Deployment;
  current: [number, number];
  old: [number, number][];
  unhealthy?: number[];
  after: number[];
}[] = [
  { name: "to what must be available", of: unavailable2, current: [0, 0], old: [[10, 10]], after: [8] },
  { name: "by unavailable pods first", of: unavailable2, current: [0, 0], old: [[10, 9]], unhealthy: [9], after: [8] },
  {
    name: "not while the current one's pods are not available",
    of: unavailable2,
    current: [2, 0],
    old: [[8, 8]],
    after: [8],
  },
  {
    name: "not when no pod may be missing any more",
    of: deployment({ replicas: 2, maxSurge: 1, maxUnavailable: 1 }),
    current: [2, 0],
    old: [[1, 1]],
    after: [1],
  },
  {
    name: "not even by unavailable pods while as many are missing in the current one",
    of: deployment({ replicas: 10, maxSurge: 3, maxUnavailable: 2 }),
    current: [5, 0],
    old: [[8, 7]],
    after: [8],
  },
  { name: "a stuck one without waiting", of: unavailable2, current: [2, 2], old: [[8, 0]], unhealthy: [6], after: [6] },
  {
    name: "the oldest first",
    of: deployment({ replicas: 10, maxSurge: 3 }),
    current: [3, 3],
    old: [[2, 2], [5, 5], [3, 3]],
    after: [0, 4, 3],
  },
  {
    name: "unavailable pods of the oldest first, up to the limit",
    of: deployment({ replicas: 10, maxSurge: 3 }),
    current: [3, 3],
    old: [[5, 3], [5, 3]],
    unhealthy: [3, 4],
    after: [3, 4],
  },
  { name: "none of size 0", of: unavailable2, current: [2, 2], old: [[0, 0], [8, 8]], after: [0, 6] },
];
for (const { name, of, current: [size, available], old, after, unhealthy = old.map(([size]) => size) } of SHRINKING) {
  Deno.test(`a rolling update shrinks old ReplicaSets: ${name}`, () => {
    assertEquals(reduce(of, replicaSet("r-1", size, { available }), old), { unhealthy, after });
  });
}

Deno.test("unhealthyReductions() throws when a status lags behind a reduction, once it gets there", () => {
  const old = [replicaSet("r-9", 5, { available: 3 }), replicaSet("r-8", 2, { available: 4 })];
  const reductions = unhealthyReductions(old, 5);
  assertEquals(reductions.next().value?.replicas, 3);
  assertThrows(() => reductions.next(), Error, "got invalid request to scale down a/r-8 2 -> 4");
  assertEquals(Array.from(unhealthyReductions(old, 2), ({ replicas }) => replicas), [3]);
});
