import { assertEquals } from "@std/assert";
import { type Deployment, DEPLOYMENTS } from "../../../../src/api/mod.ts";
import { deployment, DeploymentHarness, replicaSet, REVISION, ROLLBACK, template } from "./fixtures.ts";

/** A Deployment at revision 2, asked to roll back. */
function rollback(to: string, annotations: Record<string, string> = {}) {
  return new DeploymentHarness(
    deployment({ maxSurge: 1, annotations: { [ROLLBACK]: to, [REVISION]: "2", now: "2", ...annotations } }),
    replicaSet("old", 0, { image: "nginx:0", revision: "1", annotations: { then: "1" } }),
    replicaSet("new", 1, {
      image: "nginx:1",
      revision: "2",
      desired: 1,
      max: 2,
      annotations: { now: "2", ...annotations },
    }),
  );
}

for (const to of ["0", "1"]) {
  Deno.test(`syncDeployment() rolls back to revision ${to} of 1 and 2 by one write`, async () => {
    const harness = rollback(to);
    await harness.sync();
    assertEquals(harness.client.writes, ["put deployments a/d"]);
    const [written] = harness.client.bodies<Deployment>("put deployments a/d");
    assertEquals(written.spec?.template, template("nginx:0"));
    assertEquals(written.metadata?.annotations, { [REVISION]: "2", then: "1" });
    assertEquals(harness.recorder.lines, ['Normal DeploymentRollback a/d Rolled back deployment "d" to revision 1']);
  });
}

const REFUSED: { name: string; to: string; event: string }[] = [
  {
    name: "to a revision that does not exist",
    to: "7",
    event: "DeploymentRollbackRevisionNotFound a/d Unable to find the revision to rollback to.",
  },
  {
    name: "to the template it has",
    to: "2",
    event:
      'DeploymentRollbackTemplateUnchanged a/d The rollback revision contains the same template as current deployment "d"',
  },
];
for (const { name, to, event } of REFUSED) {
  Deno.test(`syncDeployment() refuses to roll back ${name}, and takes the request away`, async () => {
    const harness = rollback(to);
    await harness.sync();
    assertEquals(harness.recorder.lines, [`Warning ${event}`]);
    assertEquals(harness.client.writes, ["put deployments a/d"]);
    assertEquals(harness.deployment.metadata?.annotations, { [REVISION]: "2", now: "2" });
    assertEquals(harness.deployment.spec?.template, template("nginx:1"));
  });
}

Deno.test("syncDeployment() finds no last revision where there is only one", async () => {
  const harness = new DeploymentHarness(
    deployment({ maxSurge: 1, annotations: { [ROLLBACK]: "0", [REVISION]: "1" } }),
    replicaSet("new", 1, { image: "nginx:1", revision: "1" }),
  );
  await harness.sync();
  assertEquals(harness.recorder.lines, [
    "Warning DeploymentRollbackRevisionNotFound a/d Unable to find last revision.",
  ]);
});

Deno.test("syncDeployment() ignores a rollback annotation that is not an integer", async () => {
  for (const to of ["", "x", "1.5"]) {
    const harness = rollback(to);
    await harness.sync();
    assertEquals(harness.client.writes.includes("put deployments a/d"), false);
    assertEquals(harness.client.find(DEPLOYMENTS, "a/d")?.metadata?.annotations?.[ROLLBACK], to);
  }
});
