/** Aggregated ClusterRoles under upstream's manager and under ours, on a real API server. */
import { assertEquals } from "@std/assert";
import { CLUSTERROLES } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { role, rule, untilRules } from "../scenarios/role_kit.ts";
import { ROLE_SCENARIOS } from "../scenarios/role_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";
import { settledVersions } from "./settled_versions.ts";

parityTest("Aggregated roles get the same rules under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, { area: "roles", scenarios: ROLE_SCENARIOS });
});

clusterTest("A manager that takes over leaves roles alone that the other has aggregated, and goes on", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
  let before: ReadonlyMap<string, string> = new Map();
  for (const [turn, kind] of turns.entries()) {
    const manager = await startManager(cluster.plane, kind);
    const kit = await cluster.namespace(`roles-${turn}`);
    await role(kit, "a", { rules: [rule("a"), rule("b")], labels: { part: "yes" } });
    await role(kit, "all", { selects: [{ part: "yes" }] });
    await untilRules(kit, "all", "a", "b");
    const versions = await settledVersions(cluster, CLUSTERROLES);
    // `admin`, `edit` and `view` are among them.
    for (const [name, version] of before) assertEquals(versions.get(name), version, `${kind} wrote ${name}`);
    before = versions;
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
});

clusterTest("Roles are aggregated by a thread of its own with the rights of its own account", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const user = await cluster.plane.authority.client("system:kube-controller-manager");
  const kubeconfig = await cluster.plane.writeKubeconfig("manager", { user });
  const flags = [
    "--controller-groups=roles=clusterrole-aggregation-controller",
  ];
  const manager = await startManager(cluster.plane, "kubeloop", { flags, kubeconfig });
  const kit = await cluster.namespace("roles");
  await role(kit, "a", { rules: [rule("a")], labels: { part: "yes" } });
  await role(kit, "all", { selects: [{ part: "yes" }] });
  await untilRules(kit, "all", "a");
  await manager.process.stop();
});
