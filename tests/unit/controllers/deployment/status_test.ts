import { assertEquals } from "@std/assert";
import type { DeploymentStatus } from "../../../../src/api/mod.ts";
import { newCondition, removeCondition, setCondition } from "../../../../src/controllers/deployment/conditions.ts";
import { calculateStatus, isComplete, isSameStatus } from "../../../../src/controllers/deployment/status.ts";
import { ago, NOW_MS } from "../fake_times.ts";
import { condition, deployment, replicaSet } from "./fixtures.ts";

const sent = (status: DeploymentStatus) => JSON.parse(JSON.stringify(status));
const AVAILABLE = condition("Available", "True", "MinimumReplicasAvailable", {
  message: "Deployment has minimum availability.",
});

Deno.test("calculateStatus() sums up the ReplicaSets", () => {
  const current = replicaSet("r-1", 6, {
    available: 2,
    status: { replicas: 5, readyReplicas: 4, terminatingReplicas: 1 },
  });
  const old = [replicaSet("r-2", 4, { available: 3, status: { terminatingReplicas: 2 } }), replicaSet("r-3", 0)];
  const wanted = deployment({ replicas: 8, generation: 7, maxUnavailable: 3, status: { collisionCount: 0 } });
  assertEquals(sent(calculateStatus(wanted, { current, old }, NOW_MS)), {
    observedGeneration: 7,
    replicas: 9,
    updatedReplicas: 5,
    readyReplicas: 7,
    availableReplicas: 5,
    unavailableReplicas: 5,
    terminatingReplicas: 3,
    collisionCount: 0,
    conditions: [AVAILABLE],
  });
});

Deno.test("calculateStatus() leaves out counters of 0 but terminatingReplicas", () => {
  const status = calculateStatus(deployment({ replicas: 0 }), { current: undefined, old: [] }, NOW_MS);
  assertEquals(sent(status), { observedGeneration: 1, terminatingReplicas: 0, conditions: [AVAILABLE] });
});

Deno.test("calculateStatus() has no negative unavailableReplicas", () => {
  const replicaSets = { current: replicaSet("r-1", 1, { available: 3 }), old: [] };
  assertEquals(calculateStatus(deployment(), replicaSets, NOW_MS).unavailableReplicas, undefined);
});

Deno.test("calculateStatus() gives no terminatingReplicas when a ReplicaSet that was synced does not tell", () => {
  const silent = replicaSet("r-1", 1, { status: { terminatingReplicas: undefined } });
  const neverSynced = replicaSet("r-2", 0, {
    status: { terminatingReplicas: undefined, observedGeneration: undefined },
  });
  const of = (...old: typeof silent[]) =>
    calculateStatus(deployment(), { current: undefined, old }, NOW_MS).terminatingReplicas;
  assertEquals(of(silent), undefined);
  assertEquals(of(neverSynced), 0);
  assertEquals(of(neverSynced, replicaSet("r-3", 0, { status: { terminatingReplicas: 2 } })), 2);
});

Deno.test("calculateStatus() says whether enough pods are available", () => {
  const reason = (available: number) =>
    calculateStatus(deployment({ replicas: 4, maxUnavailable: 1 }), {
      current: replicaSet("r-1", 4, { available }),
      old: [],
    }, NOW_MS).conditions?.map(({ status, reason, message }) => [status, reason, message]);
  assertEquals(reason(3), [["True", "MinimumReplicasAvailable", "Deployment has minimum availability."]]);
  assertEquals(reason(2), [["False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."]]);
});

const OTHER = condition("Other", "True", "Why", { updated: 50 });

Deno.test("setCondition() leaves a condition of the same status and reason as it is", () => {
  const existing = condition("A", "True", "R", { message: "old", updated: 9 });
  const set = newCondition({ type: "A", status: "True", reason: "R", message: "new" }, NOW_MS);
  assertEquals(setCondition([existing, OTHER], set), [existing, OTHER]);
});

Deno.test("setCondition() keeps the time of transition with the status, and puts what is new at the end", () => {
  const existing = condition("A", "True", "R", { updated: 9 });
  const set = newCondition({ type: "A", status: "True", reason: "S", message: "" }, NOW_MS);
  assertEquals(setCondition([existing, OTHER], set), [OTHER, { ...set, lastTransitionTime: ago(9) }]);
  const turned = newCondition({ type: "A", status: "False", reason: "R", message: "" }, NOW_MS);
  assertEquals(setCondition([existing, OTHER], turned), [OTHER, turned]);
  assertEquals(setCondition(undefined, turned), [turned]);
  assertEquals(removeCondition([existing, OTHER], "A"), [OTHER]);
});

const COMPLETE: DeploymentStatus = { updatedReplicas: 3, replicas: 3, availableReplicas: 3, observedGeneration: 2 };
const INCOMPLETE: [string, Partial<DeploymentStatus>][] = [
  ["an old pod is left", { replicas: 4 }],
  ["a pod is not updated", { updatedReplicas: 2 }],
  ["a pod is not available", { availableReplicas: 2 }],
  ["the status is of an older generation", { observedGeneration: 1 }],
];
for (const [name, part] of INCOMPLETE) {
  Deno.test(`isComplete() is false when ${name}`, () => {
    const wanted = deployment({ replicas: 3, generation: 2 });
    assertEquals(isComplete(wanted, COMPLETE), true);
    assertEquals(isComplete(wanted, { ...COMPLETE, ...part }), false);
  });
}

Deno.test("isSameStatus() takes an absent counter for 0, but not an absent terminatingReplicas or collisionCount", () => {
  const zeros = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 0 };
  assertEquals(isSameStatus(undefined, { ...zeros, observedGeneration: 0, conditions: [] }), true);
  assertEquals(isSameStatus({}, { terminatingReplicas: 0 }), false);
  assertEquals(isSameStatus({}, { collisionCount: 0 }), false);
  for (const name of Object.keys(zeros)) assertEquals(isSameStatus({}, { [name]: 1 }), false);
  assertEquals(isSameStatus({ conditions: [OTHER] }, {}), false);
});
