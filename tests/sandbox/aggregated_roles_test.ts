/** The roles admin, edit and view have their rules, whether the controller that aggregates them runs or not. */
import { assertEquals } from "@std/assert";
import { withTestCluster } from "kubeloop/testing";
import { CLUSTERROLES, type PolicyRule } from "../../src/api/mod.ts";

async function rulesWith(flags: readonly string[], manager?: string): Promise<Record<string, readonly PolicyRule[]>> {
  return await withTestCluster({ flags, nodes: 0 }, async (cluster) => {
    await cluster.settle();
    const found: Record<string, readonly PolicyRule[]> = {};
    for (const name of ["admin", "edit", "view"]) {
      const { rules = [], metadata } = await cluster.client.get(CLUSTERROLES, { name });
      assertEquals(metadata?.managedFields?.some((each) => each.manager === manager) ?? false, manager !== undefined);
      found[name] = rules;
    }
    const before = cluster.managerWrites;
    await cluster.advance(3_600_000);
    assertEquals(cluster.managerWrites, before);
    return found;
  });
}

Deno.test("Aggregated roles are the same with the controller that aggregates them as without it", async () => {
  const ours = await rulesWith(["--controllers=clusterrole-aggregation"], "clusterrole-aggregation-controller");
  const without = await rulesWith(["--controllers=*,-clusterrole-aggregation"]);
  assertEquals(ours, without);
  assertEquals(Object.values(ours).every((rules) => rules.length > 5), true);
});
