/** Clusters that grow and shrink on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { TTL_SCENARIOS } from "../scenarios/ttl_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

for (const { name, run } of TTL_SCENARIOS) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ nodes: 0 }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}
