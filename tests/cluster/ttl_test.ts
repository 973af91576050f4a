/** What nodes are told about caching under upstream's manager and under ours, on a real API server. */
import { assertEquals } from "@std/assert";
import { NODES } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { grow, TTL_SCENARIOS, untilAllSay } from "../scenarios/ttl_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Nodes are told the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, { area: "ttl", scenarios: TTL_SCENARIOS, parallel: 1 });
});

clusterTest(
  "A manager that takes over leaves nodes alone that the other has told, and goes on with its own account",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const kit = cluster.kit("default");
    const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
    let before = new Map<string, string>();
    for (const [turn, kind] of turns.entries()) {
      const flags = kind === "kubeloop" ? ["--controller-groups=ttl=ttl-controller"] : [];
      // Others write to new nodes, too.
      const manager = await startManager(cluster.plane, kind, { controllers: "ttl-controller", flags });
      await grow(kit, turn * 3, turn * 3 + 3);
      await untilAllSay(kit, "0");
      const { items } = await cluster.client.list(NODES, {});
      const now = new Map(items.map(({ metadata }) => [metadata!.name!, metadata!.resourceVersion!]));
      for (const [name, version] of before) assertEquals(now.get(name), version, `${kind} wrote ${name}`);
      before = now;
      await manager.process.stop();
      await dropLease(cluster.plane);
    }
  },
);
