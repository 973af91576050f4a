/** Controller groups that end for good. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { DEPLOYMENTS, PODS } from "../../src/api/mod.ts";
import { leaseHolder, THREE_GROUPS } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { deployment } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { FaultyManager } from "./faulty_cluster.ts";

clusterTest(
  "a controller group that fails again and again stays down; the process says so, and its others work",
  async () => {
    await using cluster = await Cluster.start({ simulated: { untaint: true } });
    const { kubeconfig } = cluster.plane;
    const manager = await FaultyManager.start(cluster.plane, { kubeconfig, groups: THREE_GROUPS });
    await manager.ready();
    await eventually("it leads", async () => await leaseHolder(cluster.plane) !== "");
    const load = await cluster.namespace("load");
    await manager.inject("rest", "doom");
    await eventually("the group stays down", () => manager.groupLines.includes("has failed too often"), {
      withinMs: 120_000,
    });
    assertStringIncludes(manager.groupLines, `stays down" group="rest" controllers=`);
    await manager.lacks("rest");
    assertEquals((await manager.get("/healthz")).status, 500);
    assertEquals(manager.process.exit, undefined);

    await load.create(DEPLOYMENTS, deployment("last"));
    await load.until(DEPLOYMENTS, "last", "is complete", ({ status }) => status?.availableReplicas === 3);
    await load.delete(DEPLOYMENTS, "last", "Background");
    await load.untilAll(PODS, "its pods are collected", (all) => all.length === 0);
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
