import { assertEquals, assertRejects } from "@std/assert";
import { InvariantError, TurnBudget } from "../../../../src/base/mod.ts";
import { newControllerRef, REPLICASETS } from "../../../../src/api/mod.ts";
import { planScaling, scalePods } from "../../../../src/controllers/replicaset/scaling.ts";
import { pod, replicaSet, ReplicaSetHarness } from "./fixtures.ts";

Deno.test("scalePods() deletes nothing at all when one of the pods is another controller's", async () => {
  const owner = replicaSet({ replicas: 0 });
  const foreign = newControllerRef(replicaSet({ name: "other", uid: "uid-other" }), REPLICASETS);
  const pods = [pod("p1"), pod("p2", { ownerReferences: [foreign] })];
  const harness = new ReplicaSetHarness(owner, ...pods);
  const { context, world: { clock } } = harness;
  const scaling = () => scalePods(owner, pods, { ...context, budget: new TurnBudget(clock), nowMs: clock.wallMs() });
  await assertRejects(scaling, InvariantError, "ReplicaSet a/r would delete pod a/p2 of another");
  assertEquals([harness.client.calls, harness.expectations.isSatisfied("a/r")], [[], true]);
});

Deno.test("planScaling() does nothing about as many pods as are wanted, and 500 at a time about others", () => {
  assertEquals(planScaling(3, 3), { action: "none" });
  assertEquals([planScaling(2, 3), planScaling(0, 501)], [{ action: "create", count: 1 }, {
    action: "create",
    count: 500,
  }]);
  assertEquals([planScaling(3, 2), planScaling(501, 0)], [{ action: "delete", count: 1 }, {
    action: "delete",
    count: 500,
  }]);
});
