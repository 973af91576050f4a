import { assertEquals } from "@std/assert";
import type { DeploymentCondition, DeploymentStatus } from "../../../../src/api/mod.ts";
import { planProgressCheck, rolloutStatus } from "../../../../src/controllers/deployment/progress.ts";
import { ago, NOW_MS } from "../fake_times.ts";
import { condition, deployment, replicaSet, type ReplicaSetTraits } from "./fixtures.ts";

const NOW = ago(0);
const UPDATED = condition("Progressing", "True", "ReplicaSetUpdated", { updated: 30, changed: 90 });
const ARRIVED = condition("Progressing", "True", "NewReplicaSetAvailable", { updated: 5000 });
const TIMED_OUT = condition("Progressing", "False", "ProgressDeadlineExceeded", { updated: 70 });
/** The status that goes with a current ReplicaSet of 3 pods, of which 2 are available. */
const STUCK: DeploymentStatus = {
  observedGeneration: 1,
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 2,
  availableReplicas: 2,
  unavailableReplicas: 1,
  terminatingReplicas: 0,
};

interface Case {
  readonly name: string;
  readonly existing?: DeploymentCondition;
  readonly before?: Partial<DeploymentStatus>;
  readonly available?: number;
  readonly deadline?: number;
  /** Whether there is a current ReplicaSet; default yes. */
  readonly hasCurrent?: boolean;
  /** Reason, message, time of update and of transition. */
  readonly after: readonly (string | undefined)[] | undefined;
}

const progressing = (
  updated = NOW,
  changed = ago(90),
) => ["True", "ReplicaSetUpdated", 'ReplicaSet "r-1" is progressing.', updated, changed];
const CASES: Case[] = [
  { name: "removes Progressing without a deadline", existing: UPDATED, deadline: undefined, after: undefined },
  { name: "removes Progressing with the largest deadline", existing: UPDATED, deadline: 2147483647, after: undefined },
  {
    name: "says when all pods are updated and available",
    existing: UPDATED,
    available: 3,
    after: ["True", "NewReplicaSetAvailable", 'ReplicaSet "r-1" has successfully progressed.', NOW, ago(90)],
  },
  {
    name: "says it progresses when more pods are available",
    existing: UPDATED,
    before: { availableReplicas: 1 },
    after: progressing(),
  },
  {
    name: "says it progresses when more pods are ready",
    existing: UPDATED,
    before: { readyReplicas: 1 },
    after: progressing(),
  },
  {
    name: "says it progresses when more pods are updated",
    existing: UPDATED,
    before: { updatedReplicas: 2, replicas: 2 },
    after: progressing(),
  },
  {
    name: "says it progresses when fewer old pods are left",
    existing: UPDATED,
    before: { replicas: 4 },
    after: progressing(),
  },
  {
    name: "changes the time of transition when it was stuck",
    existing: TIMED_OUT,
    before: { availableReplicas: 1 },
    after: progressing(NOW, NOW),
  },
  { name: "begins to say so", before: { availableReplicas: 1 }, after: progressing(NOW, NOW) },
  {
    name: "says nothing new while it waits",
    existing: UPDATED,
    after: ["True", "ReplicaSetUpdated", "", ago(30), ago(90)],
  },
  {
    name: "waits until the deadline has passed",
    existing: { ...UPDATED, lastUpdateTime: ago(60) },
    after: ["True", "ReplicaSetUpdated", "", ago(60), ago(90)],
  },
  {
    name: "says when the deadline has passed",
    existing: { ...UPDATED, lastUpdateTime: ago(61) },
    after: ["False", "ProgressDeadlineExceeded", 'ReplicaSet "r-1" has timed out progressing.', NOW, NOW],
  },
  {
    name: "names the Deployment where there is no current ReplicaSet",
    existing: { ...UPDATED, lastUpdateTime: ago(61) },
    before: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 },
    hasCurrent: false,
    after: ["False", "ProgressDeadlineExceeded", 'Deployment "d" has timed out progressing.', NOW, NOW],
  },
  {
    name: "keeps what it said about the deadline",
    existing: TIMED_OUT,
    after: ["False", "ProgressDeadlineExceeded", "", ago(70), ago(70)],
  },
  {
    name: "keeps that it has arrived when a pod restarts",
    existing: ARRIVED,
    after: ["True", "NewReplicaSetAvailable", "", ago(5000), ago(5000)],
  },
  {
    name: "keeps that it has arrived when a restarted pod is available again",
    existing: ARRIVED,
    before: { availableReplicas: 1 },
    after: ["True", "NewReplicaSetAvailable", "", ago(5000), ago(5000)],
  },
  { name: "does not time out without a condition to count from", after: undefined },
];

for (const { name, existing, before, available = 2, hasCurrent = true, after, ...rest } of CASES) {
  Deno.test(`rolloutStatus() ${name}`, () => {
    const progressDeadlineSeconds = "deadline" in rest ? rest.deadline : 60;
    const status = { ...STUCK, ...before, conditions: existing ? [existing] : undefined };
    const wanted = deployment({ replicas: 3, progressDeadlineSeconds, status });
    const current = hasCurrent ? replicaSet("r-1", 3, { available }) : undefined;
    const found = rolloutStatus(wanted, { current, old: [] }, NOW_MS).conditions?.find(({ type }) =>
      type === "Progressing"
    );
    assertEquals(
      found && [found.status, found.reason, found.message, found.lastUpdateTime, found.lastTransitionTime],
      after,
    );
  });
}

Deno.test("rolloutStatus() leaves Progressing out when an old one arrived but the current one is new", () => {
  const status = { ...STUCK, updatedReplicas: 0, conditions: [{ ...ARRIVED, lastUpdateTime: ago(5000) }] };
  const wanted = deployment({ replicas: 3, progressDeadlineSeconds: 60, status });
  const replicaSets = { current: replicaSet("r-1", 0), old: [replicaSet("r-2", 3, { available: 2 })] };
  const found = rolloutStatus(wanted, replicaSets, NOW_MS).conditions?.find(({ type }) => type === "Progressing");
  assertEquals(
    found?.reason,
    "NewReplicaSetAvailable",
    "the next progress replaces it; the deadline is not counted from it",
  );
});

const failing = (message: string, transition = 40): ReplicaSetTraits => ({
  status: {
    conditions: [{
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message,
      lastTransitionTime: ago(transition),
    }],
  },
});
const FAILURES: {
  name: string;
  current: ReplicaSetTraits;
  old: ReplicaSetTraits;
  before?: DeploymentCondition[];
  message?: string;
}[] = [
  { name: "copies the current ReplicaSet's", current: failing("new"), old: failing("old"), message: "new" },
  { name: "copies an old ReplicaSet's", current: {}, old: failing("old"), message: "old" },
  {
    name: "removes its own when there is none",
    current: {},
    old: {},
    before: [condition("ReplicaFailure", "True", "FailedCreate")],
  },
];
for (const { name, current, old, before, message } of FAILURES) {
  Deno.test(`rolloutStatus() ${name} condition ReplicaFailure`, () => {
    const wanted = deployment({ status: { conditions: before } });
    const replicaSets = { current: replicaSet("r-1", 1, current), old: [replicaSet("r-2", 1, old)] };
    const found = rolloutStatus(wanted, replicaSets, NOW_MS).conditions?.find(({ type }) => type === "ReplicaFailure");
    const expected = condition("ReplicaFailure", "True", "FailedCreate", { message, updated: 40 });
    assertEquals(found, message === undefined ? undefined : expected);
  });
}

const CHECKS: {
  name: string;
  existing?: DeploymentCondition;
  deadline?: number;
  available?: number;
  check: unknown;
}[] = [
  {
    name: "31 s after an update 30 s ago with 60 s to go",
    existing: UPDATED,
    check: { when: "after", delayMs: 31_000 },
  },
  {
    name: "rate limited with less than 1 s to go",
    existing: { ...UPDATED, lastUpdateTime: "2025-12-31T23:59:00.100Z" },
    check: { when: "rateLimited" },
  },
  {
    name: "1 s and 1 s more with 1 s to go",
    existing: { ...UPDATED, lastUpdateTime: ago(59) },
    check: { when: "after", delayMs: 2000 },
  },
  {
    name: "rate limited after the deadline",
    existing: { ...UPDATED, lastUpdateTime: ago(600) },
    check: { when: "rateLimited" },
  },
  { name: "never without a condition", check: { when: "never" } },
  { name: "never without a deadline", existing: UPDATED, deadline: 2147483647, check: { when: "never" } },
  { name: "never once it timed out", existing: TIMED_OUT, check: { when: "never" } },
  { name: "never once it is complete", existing: UPDATED, available: 3, check: { when: "never" } },
];
for (const { name, existing, deadline = 60, available = 2, check } of CHECKS) {
  Deno.test(`planProgressCheck() looks again ${name}`, () => {
    const status = { ...STUCK, availableReplicas: available, conditions: existing ? [existing] : undefined };
    const wanted = deployment({ replicas: 3, progressDeadlineSeconds: deadline, status });
    assertEquals(planProgressCheck(wanted, status, NOW_MS), check);
  });
}
