import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { maxReplicas } from "../../src/controllers/deployment/bounds.ts";
import { sizeOf, totalSize } from "../../src/controllers/deployment/replica_sets.ts";
import { planScaling } from "../../src/controllers/deployment/scaling.ts";
import { deployment, replicaSet } from "../unit/controllers/deployment/fixtures.ts";

const scenario = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 6 }),
  replicas: fc.integer({ min: 0, max: 200 }),
  maxSurge: fc.integer({ min: 0, max: 20 }),
  surgeBefore: fc.integer({ min: 0, max: 20 }),
});

Deno.test("scaling in the middle of a rollout shares out exactly what is allowed, and moves every size one way", () => {
  fc.assert(fc.property(scenario, ({ sizes, replicas, maxSurge, surgeBefore }) => {
    const max = sizes.reduce((a, b) => a + b);
    const made = sizes.map((size, i) =>
      replicaSet(`r-${i}`, size, { max, desired: Math.max(0, max - surgeBefore), available: 0 })
    );
    const wanted = deployment({ replicas, maxSurge });
    const plan = planScaling(wanted, { current: made[0], old: made.slice(1) });
    const allowed = replicas === 0 ? 0 : maxReplicas(wanted);
    assertEquals(plan.reduce((sum, { replicas }) => sum + replicas, 0), allowed);
    const direction = Math.sign(allowed - totalSize(made));
    for (const { replicaSet, replicas } of plan) {
      assert(replicas >= 0);
      assert(Math.sign(replicas - sizeOf(replicaSet)) * direction >= 0, "one grows while the whole shrinks");
    }
  }));
});
