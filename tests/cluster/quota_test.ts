/** What quotas say under upstream's manager and under ours, on a real API server with simulated nodes. */
import { assertEquals } from "@std/assert";
import { CONFIGMAPS, PODS, RESOURCEQUOTAS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { limit, pod, untilCountIsSeen, untilUsed } from "../scenarios/quota_kit.ts";
import { QUOTA_SCENARIOS } from "../scenarios/quota_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";
import { settledVersions } from "./settled_versions.ts";

parityTest("Quotas say the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start();
  await assertParity(cluster, {
    area: "quotas",
    scenarios: QUOTA_SCENARIOS,
    // One says itself which class of attributes a claim without a volume has.
    flags: ["--controllers=-persistentvolume-binder-controller"],
    resources: [RESOURCEQUOTAS],
  });
});

clusterTest("A manager that takes over leaves quotas alone that the other has measured, and goes on", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
  let before: ReadonlyMap<string, string> = new Map();
  for (const [turn, kind] of turns.entries()) {
    const manager = await startManager(cluster.plane, kind);
    const kit = await cluster.namespace(`quota-${turn}`);
    await limit(kit, { hard: { pods: "5", "requests.cpu": "1500m", "requests.memory": "1Gi", configmaps: "9" } });
    const requests = { cpu: "0.1", memory: "0.5Mi" };
    for (const name of ["x", "y"]) await kit.create(PODS, pod(name, { requests }));
    await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } });
    const used = { pods: "2", "requests.cpu": "200m", "requests.memory": "1Mi" };
    await untilCountIsSeen(kit, { ...used, configmaps: "2" });
    await kit.delete(CONFIGMAPS, "x");
    await untilUsed(kit, { ...used, configmaps: "1" });
    const versions = await settledVersions(cluster, RESOURCEQUOTAS);
    for (const [namespace, version] of before) {
      assertEquals(versions.get(namespace), version, `${kind} wrote ${namespace}`);
    }
    before = versions;
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
});

clusterTest("Quotas are measured by a thread of its own with the rights of its own account", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const flags = [
    "--controller-groups=quotas=resourcequota-controller",
  ];
  const manager = await startManager(cluster.plane, "kubeloop", { flags });
  const kit = await cluster.namespace("quotas");
  await limit(kit, { hard: { pods: "5", configmaps: "9" } });
  await kit.create(PODS, pod("x"));
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } });
  await untilCountIsSeen(kit, { pods: "1", configmaps: "2" });
  await kit.delete(CONFIGMAPS, "x");
  await untilUsed(kit, { pods: "1", configmaps: "1" });
  await manager.process.stop();
});
