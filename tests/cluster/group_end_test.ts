/** Controller groups that end for good. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { AuditLog, WRITES } from "../controlplane/audit_log.ts";
import { eventually } from "../controlplane/process.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { startLeading } from "./failing_groups.ts";
import { FaultyManager } from "./faulty_cluster.ts";
import { Rollouts } from "./rollouts.ts";

clusterTest(
  "a controller group that fails again and again stays down; the process says so, and the others go on",
  async () => {
    await using audit = await AuditLog.create(WRITES);
    await using cluster = await Cluster.start({ apiserverFlags: audit.flags, simulated: { untaint: true } });
    const manager = await startLeading(cluster);
    const load = await cluster.namespace("load");
    await using stack = new AsyncDisposableStack();
    const rollouts = stack.use(new Rollouts(load));
    await manager.inject("rest", "doom");
    await eventually("the group stays down", () => manager.groupLines.includes("has failed too often"), {
      withinMs: 120_000,
    });
    assertStringIncludes(manager.groupLines, `stays down" group="rest" controllers=`);
    await manager.lacks("rest");
    assertEquals((await manager.get("/healthz")).status, 500);

    const before = rollouts.count;
    await eventually("more Deployments came", () => rollouts.count >= before + 5, { withinMs: 60_000 });
    await stack.disposeAsync();
    await rollouts.converged();
    rollouts.assertMadeOnce(await audit.requests());
    assertEquals(await manager.process.stop(), { code: 0, signal: null });
  },
);

for (const [group, why] of [["missing", "Module not found"], ["unloadable", "this module cannot be loaded"]]) {
  clusterTest(`a controller group whose worker is ${group} ends the start with one line`, async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { process } = await FaultyManager.start(cluster.plane, {
      kubeconfig: cluster.plane.kubeconfig,
      groups: `${group}=deployment-controller`,
    });
    assertEquals(await eventually("it ends", () => process.exit), { code: 1, signal: null });
    const lines = process.output.split("\n").filter((line) => /^[EF]\d{4} /.test(line));
    assertEquals(lines.length, 1, process.output);
    assertStringIncludes(lines[0], `the thread of controller group \\"${group}\\" cannot start`);
    assertStringIncludes(lines[0], why);
  });
}
