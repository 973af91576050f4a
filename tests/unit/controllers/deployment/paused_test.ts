import { assertEquals } from "@std/assert";
import type { DeploymentCondition } from "../../../../src/api/mod.ts";
import { pausedStatement } from "../../../../src/controllers/deployment/sync.ts";
import { condition, deployment, DeploymentHarness, replicaSet, REVISION, ROLLBACK, template } from "./fixtures.ts";

const PAUSED = condition("Progressing", "Unknown", "DeploymentPaused");
const CASES: { name: string; paused: boolean; deadline?: number; existing?: DeploymentCondition; reason?: string }[] = [
  { name: "says that it is paused", paused: true, reason: "DeploymentPaused Deployment is paused" },
  {
    name: "says that it is resumed",
    paused: false,
    existing: PAUSED,
    reason: "DeploymentResumed Deployment is resumed",
  },
  { name: "does not repeat that it is paused", paused: true, existing: PAUSED },
  { name: "says nothing of one that was not paused", paused: false },
  {
    name: "leaves a passed deadline",
    paused: true,
    existing: condition("Progressing", "False", "ProgressDeadlineExceeded"),
  },
  { name: "says nothing without a deadline", paused: true, deadline: 2147483647 },
];
for (const { name, paused, deadline = 60, existing, reason } of CASES) {
  Deno.test(`pausedStatement() ${name}`, () => {
    const status = { conditions: existing ? [existing] : [] };
    const statement = pausedStatement(deployment({ paused, progressDeadlineSeconds: deadline, status }));
    assertEquals(statement && `${statement.reason} ${statement.message}`, reason);
    if (statement) assertEquals(statement.status, "Unknown");
  });
}

Deno.test("syncDeployment() scales and cleans up a paused Deployment, and rolls nothing out", async () => {
  const harness = new DeploymentHarness(
    deployment({
      paused: true,
      replicas: 4,
      maxSurge: 1,
      template: template("nginx:9"),
      revisionHistoryLimit: 1,
      progressDeadlineSeconds: 60,
    }),
    replicaSet("r-3", 0, { revision: "1", image: "nginx:7" }),
    replicaSet("r-2", 3, { revision: "2", desired: 3, max: 4 }),
  );
  await harness.sync();
  assertEquals(harness.sizes, { "r-2": 4 });
  assertEquals(harness.recorder.lines, ["Normal ScalingReplicaSet a/d Scaled up replica set r-2 from 3 to 4"]);
  assertEquals(harness.conditions, [
    "Progressing Unknown DeploymentPaused",
    "Available False MinimumReplicasUnavailable",
  ]);
  assertEquals(harness.client.writes, [
    "put deployments/status a/d",
    "put replicasets a/r-2",
    "delete replicasets a/r-3",
    "put deployments/status a/d",
  ]);
});

Deno.test("syncDeployment() deletes nothing of a paused Deployment that is to roll back", async () => {
  const harness = new DeploymentHarness(
    deployment({ paused: true, revisionHistoryLimit: 0, annotations: { [ROLLBACK]: "1", [REVISION]: "2" } }),
    replicaSet("r-2", 0, { revision: "1" }),
    replicaSet("r-1", 1, { revision: "2", image: "nginx:1", desired: 1, max: 1 }),
  );
  await harness.sync();
  assertEquals(harness.client.writes, ["put deployments/status a/d"]);
  assertEquals(harness.deployment.metadata?.annotations?.[ROLLBACK], "1");
});
