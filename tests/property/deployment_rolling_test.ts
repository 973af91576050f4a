import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { ReplicaSet } from "../../src/api/mod.ts";
import { maxReplicas, minAvailable } from "../../src/controllers/deployment/bounds.ts";
import { activeOf, allOf, sizeOf, totalAvailable, totalSize } from "../../src/controllers/deployment/replica_sets.ts";
import {
  maxReduction,
  planCurrent,
  surplusReductions,
  unhealthyReductions,
} from "../../src/controllers/deployment/rolling_update.ts";
import { deployment, replicaSet } from "../unit/controllers/deployment/fixtures.ts";

const bound = fc.oneof(
  fc.integer({ min: 0, max: 12 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const scenario = fc.record({
  replicas: fc.integer({ min: 0, max: 30 }),
  maxSurge: bound,
  maxUnavailable: bound,
  /** How the wanted pods are spread over old ReplicaSets. */
  old: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 4 }),
  seed: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 20 }),
});

const resized = (one: ReplicaSet, replicas: number) => ({ ...one, spec: { ...one.spec!, replicas } });
const withAvailable = (one: ReplicaSet, availableReplicas: number) => ({
  ...one,
  status: { ...one.status!, availableReplicas },
});

Deno.test("a rolling update never has too many pods, never takes an available one too many, and comes to its end", () => {
  fc.assert(fc.property(scenario, ({ maxSurge, maxUnavailable, old: sizes, seed, replicas }) => {
    const total = sizes.reduce((a, b) => a + b);
    const wanted = deployment({ replicas: replicas === 0 ? 0 : total, maxSurge, maxUnavailable });
    let current = replicaSet("r-0", 0);
    let old = sizes.map((size, i) => replicaSet(`r-${i + 1}`, size));
    let luck = 0;
    for (let step = 0; step < 500; step++) {
      const size = planCurrent(wanted, { current, old }, current);
      const before = { current: sizeOf(current), old: totalSize(old), available: totalAvailable([current, ...old]) };
      if (size !== before.current) current = resized(current, size);
      else {
        const limit = maxReduction(wanted, { current, old }, current);
        const active = activeOf(old);
        if (limit > 0 && active.length > 0) {
          for (const { replicaSet, replicas } of [...unhealthyReductions(active, limit)]) {
            old = old.map((one) => one === replicaSet ? resized(one, replicas) : one);
          }
          for (const { replicaSet, replicas } of surplusReductions(wanted, { current, old })) {
            old = old.map((one) => one === replicaSet ? resized(one, replicas) : one);
          }
        }
      }
      if (before.current + before.old <= maxReplicas(wanted)) {
        assert(totalSize(allOf({ current, old })) <= maxReplicas(wanted), "the surge is exceeded");
      }
      // Pods beyond a size go, unavailable ones first; of the current one's pods some, at last all, become available.
      old = old.map((one) => withAvailable(one, Math.min(one.status?.availableReplicas ?? 0, sizeOf(one))));
      const available = totalAvailable([current, ...old]);
      assert(available >= Math.min(before.available, minAvailable(wanted)), "an available pod too many was taken");
      const missing = sizeOf(current) - (current.status?.availableReplicas ?? 0);
      const more = step > 400 ? missing : Math.ceil(missing * seed[luck++ % seed.length]);
      current = withAvailable(current, (current.status?.availableReplicas ?? 0) + more);
    }
    assertEquals([sizeOf(current), totalSize(old)], [wanted.spec!.replicas, 0]);
  }));
});
