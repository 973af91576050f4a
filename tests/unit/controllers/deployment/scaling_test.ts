import { assertEquals } from "@std/assert";
import type { ReplicaSet } from "../../../../src/api/mod.ts";
import type { ReplicaSets } from "../../../../src/controllers/deployment/replica_sets.ts";
import { fractionOf, isScalingEvent, planScaling } from "../../../../src/controllers/deployment/scaling.ts";
import { deployment, type DeploymentTraits, replicaSet } from "./fixtures.ts";

interface Case {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly surge?: number;
  readonly surgeBefore?: number;
  /** Sizes before and after, newest first; the first is the current one, unless there is none. */
  readonly sizes: readonly number[];
  readonly after: readonly number[];
  readonly hasNoCurrent?: boolean;
  readonly traits?: DeploymentTraits;
}

const CASES: Case[] = [
  { name: "grows in proportion", from: 5, to: 10, sizes: [2, 3], after: [4, 6] },
  { name: "shrinks in proportion", from: 9, to: 4, sizes: [8, 1], after: [4, 0] },
  { name: "grows three, leftovers to the largest", from: 7, to: 10, sizes: [2, 3, 2], after: [3, 4, 3] },
  { name: "shrinks three", from: 13, to: 8, sizes: [2, 8, 3], after: [1, 5, 2] },
  { name: "grows the newest of equals", from: 3, to: 4, sizes: [1, 1, 1], after: [2, 1, 1] },
  { name: "shrinks the oldest of equals", from: 3, to: 2, sizes: [1, 1, 1], after: [1, 1, 0] },
  { name: "scales all to 0", from: 6, to: 0, sizes: [3, 2, 1], after: [0, 0, 0] },
  { name: "scales the current one up from 0", from: 0, to: 6, sizes: [0, 0, 0], after: [6, 0, 0] },
  { name: "counts the surge in", from: 10, to: 20, surge: 2, sizes: [6, 6], after: [11, 11] },
  {
    name: "follows a surge that changed too",
    from: 10,
    to: 50,
    surgeBefore: 3,
    surge: 6,
    sizes: [5, 8],
    after: [22, 34],
  },
  {
    name: "scales old ones where there is no current one",
    from: 10,
    to: 14,
    sizes: [7, 3],
    after: [10, 4],
    hasNoCurrent: true,
  },
  {
    name: "scales the newest old one where none is active",
    from: 0,
    to: 5,
    sizes: [0, 0],
    after: [5, 0],
    hasNoCurrent: true,
  },
  { name: "takes no more from the largest than it has", from: 1, to: 1, sizes: [3, 3], after: [3, 0] },
  { name: "scales the only active one", from: 3, to: 8, sizes: [0, 3, 0], after: [0, 8, 0] },
  { name: "leaves sizes that are right already", from: 5, to: 5, sizes: [2, 3], after: [2, 3] },
  {
    name: "shares nothing out with Recreate",
    from: 5,
    to: 10,
    sizes: [2, 3],
    after: [2, 3],
    traits: { type: "Recreate" },
  },
];

function make({ from, to, surge = 0, surgeBefore = surge, sizes, hasNoCurrent, traits }: Case) {
  // An unavailable pod in each keeps the current one from being saturated.
  const made = sizes.map((size, i) =>
    replicaSet(`r-${i + 1}`, size, { desired: from, max: from + surgeBefore, available: 0 })
  );
  const replicaSets: ReplicaSets = hasNoCurrent
    ? { current: undefined, old: made.toReversed() }
    : { current: made[0], old: made.slice(1).toReversed() };
  const status = { replicas: sizes.reduce((a, b) => a + b) };
  return { made, replicaSets, wanted: deployment({ replicas: to, maxSurge: surge, status, ...traits }) };
}

for (const test of CASES) {
  Deno.test(`planScaling() ${test.name}`, () => {
    const { made, replicaSets, wanted } = make(test);
    const plan = new Map(planScaling(wanted, replicaSets).map(({ replicaSet, replicas }) => [replicaSet, replicas]));
    assertEquals(made.map((replicaSet) => plan.get(replicaSet) ?? replicaSet.spec!.replicas!), test.after);
  });
}

Deno.test("planScaling() scales old ones to 0 beside a saturated current one", () => {
  const current = replicaSet("r-1", 5, { desired: 5 });
  const old = [replicaSet("r-2", 2), replicaSet("r-3", 0), replicaSet("r-4", 1)];
  const plan = planScaling(deployment({ replicas: 5 }), { current, old });
  assertEquals(plan.map(({ replicaSet, replicas }) => [replicaSet.metadata?.name, replicas]), [["r-2", 0], ["r-4", 0]]);
});

Deno.test("planScaling() plans nothing without ReplicaSets", () => {
  assertEquals(planScaling(deployment(), { current: undefined, old: [] }), []);
});

Deno.test("planScaling() brings the annotations up to date when it shares out, even where sizes stay", () => {
  const [shared] = CASES;
  const { replicaSets, wanted } = make({ ...shared, from: 5, to: 5 });
  assertEquals(planScaling(wanted, replicaSets).map(({ isForced }) => isForced), [true, true]);
  const only = planScaling(deployment(), { current: replicaSet("r-1", 1), old: [] });
  assertEquals(only.map(({ isForced }) => isForced), [false]);
});

const FRACTIONS: { name: string; made: ReplicaSet; traits: DeploymentTraits; expected: number }[] = [
  {
    name: "the status where the annotation is gone",
    made: replicaSet("r", 50),
    traits: { replicas: 120, status: { replicas: 100 } },
    expected: 10,
  },
  { name: "the annotation", made: replicaSet("r", 50, { max: 200 }), traits: { replicas: 240 }, expected: 10 },
  {
    name: "the status where the annotation is 0",
    made: replicaSet("r", 5, { max: 0 }),
    traits: { replicas: 20, status: { replicas: 10 } },
    expected: 5,
  },
  { name: "nothing where neither says anything", made: replicaSet("r", 5), traits: { replicas: 20 }, expected: 0 },
  {
    name: "no annotation that is negative",
    made: replicaSet("r", 5, { max: -1 }),
    traits: { replicas: 20 },
    expected: 0,
  },
  { name: "a target of 0", made: replicaSet("r", 5, { max: 10 }), traits: { replicas: 0 }, expected: -5 },
  { name: "halves away from zero", made: replicaSet("r", 1, { max: 2 }), traits: { replicas: 5 }, expected: 2 },
  { name: "32 bits", made: replicaSet("r", 65536, { max: 1 }), traits: { replicas: 65536 }, expected: -65536 },
];
for (const { name, made, traits, expected } of FRACTIONS) {
  Deno.test(`fractionOf() goes by ${name}`, () => assertEquals(fractionOf(deployment(traits), made), expected));
}

Deno.test("isScalingEvent() compares the annotations of active ReplicaSets with the wanted size", () => {
  const isScaling = (...old: ReplicaSet[]) => isScalingEvent(deployment({ replicas: 3 }), { current: undefined, old });
  assertEquals(isScaling(replicaSet("r", 1, { desired: 2 })), true);
  assertEquals(isScaling(replicaSet("r", 1, { desired: 3 })), false);
  assertEquals(isScaling(replicaSet("r", 0, { desired: 2 })), false);
  assertEquals(isScaling(replicaSet("r", 1)), false, "no annotation means no scaling event");
  for (const text of ["x", "", "-2", "+2", "2147483648"]) {
    assertEquals(
      isScaling(replicaSet("r", 1, { annotations: { "deployment.kubernetes.io/desired-replicas": text } })),
      false,
    );
  }
});
