import { assertEquals } from "@std/assert";
import type { Pod, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "../../../../src/api/mod.ts";
import { REPLICASET_KIND } from "../../../../src/controllers/replicaset/kind.ts";
import { computeStatus, isSameStatus } from "../../../../src/controllers/replicaset/status.ts";
import { NOW_MS } from "../fake_times.ts";
import { pod, replicaSet } from "./fixtures.ts";

const NOW = "2026-01-01T00:00:00Z";
const OTHER: ReplicaSetCondition = { type: "Other", status: "True" };
const FAILURE: ReplicaSetCondition = {
  type: "ReplicaFailure",
  status: "True",
  reason: "FailedCreate",
  message: "old",
  lastTransitionTime: "2025-01-01T00:00:00Z",
};

function status(
  owner: ReplicaSet,
  active: Pod[],
  { failure, terminating = 0 }: { failure?: Error; terminating?: number } = {},
) {
  const computed = computeStatus(REPLICASET_KIND, owner, { active, terminating, failure, nowMs: NOW_MS });
  return JSON.parse(JSON.stringify(computed)); // as it is sent
}

Deno.test("computeStatus() counts ready, available and fully labelled pods", () => {
  const pods = [
    pod("pending", { readyFor: undefined, phase: "Pending" }),
    pod("ready", { readyFor: 0 }),
    pod("nearly", { readyFor: 4 }),
    pod("just", { readyFor: 5 }),
    pod("future", { readyFor: -5 }),
    pod("unlabelled", { readyFor: 60, labels: { app: "y" } }),
  ];
  assertEquals(status(replicaSet({ minReadySeconds: 5 }), pods, { terminating: 2 }), {
    replicas: 6,
    fullyLabeledReplicas: 5,
    readyReplicas: 5,
    availableReplicas: 2,
    terminatingReplicas: 2,
    observedGeneration: 1,
  });
});

Deno.test("computeStatus() leaves out counters of 0 but replicas and terminatingReplicas", () => {
  assertEquals(status(replicaSet(), []), { replicas: 0, terminatingReplicas: 0, observedGeneration: 1 });
});

Deno.test("computeStatus() keeps conditions of other types in their order", () => {
  const owner = replicaSet({ status: { replicas: 1, conditions: [OTHER] } });
  assertEquals(status(owner, []).conditions, [OTHER]);
  const added = { ...FAILURE, message: "boom", lastTransitionTime: NOW };
  assertEquals(status(owner, [], { failure: new Error("boom") }).conditions, [OTHER, added]);
});

const FAILURES: { name: string; before?: ReplicaSetCondition[]; pods: number; failure?: Error; after?: unknown[] }[] = [
  {
    name: "adds FailedCreate with 1 of 2 pods",
    pods: 1,
    failure: new Error("quota"),
    after: [{ ...FAILURE, message: "quota", lastTransitionTime: NOW }],
  },
  {
    name: "adds FailedDelete with 3 of 2 pods",
    pods: 3,
    failure: new Error("no"),
    after: [{ ...FAILURE, reason: "FailedDelete", message: "no", lastTransitionTime: NOW }],
  },
  {
    name: "does not refresh an existing condition",
    before: [FAILURE],
    pods: 3,
    failure: new Error("new"),
    after: [FAILURE],
  },
  { name: "removes the condition when nothing failed", before: [FAILURE, OTHER], pods: 2, after: [OTHER] },
  { name: "adds nothing when nothing failed", pods: 2, after: undefined },
];
for (const { name, before, pods, failure, after } of FAILURES) {
  Deno.test(`computeStatus() ${name}`, () => {
    const owner = replicaSet({ status: { replicas: 0, conditions: before } });
    const active = Array.from({ length: pods }, (_, i) => pod(String(i)));
    assertEquals(status(owner, active, { failure }).conditions, after);
  });
}

const SAME: { name: string; before: ReplicaSetStatus | undefined; after: ReplicaSetStatus; isSame: boolean }[] = [
  {
    name: "absent counters and 0",
    before: { replicas: 0, terminatingReplicas: 0 },
    after: {
      replicas: 0,
      readyReplicas: 0,
      availableReplicas: 0,
      fullyLabeledReplicas: 0,
      terminatingReplicas: 0,
      observedGeneration: 0,
      conditions: [],
    },
    isSame: true,
  },
  {
    name: "absent and 0 terminatingReplicas",
    before: { replicas: 0 },
    after: { replicas: 0, terminatingReplicas: 0 },
    isSame: false,
  },
  { name: "another generation", before: { replicas: 0 }, after: { replicas: 0, observedGeneration: 2 }, isSame: false },
  { name: "other conditions", before: { replicas: 0 }, after: { replicas: 0, conditions: [OTHER] }, isSame: false },
  {
    name: "another number of ready pods",
    before: { replicas: 1 },
    after: { replicas: 1, readyReplicas: 1 },
    isSame: false,
  },
];
for (const { name, before, after, isSame } of SAME) {
  Deno.test(`isSameStatus() is ${isSame} for ${name}`, () => assertEquals(isSameStatus(before, after), isSame));
}
