/** Clusters that grow and shrink on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { Kit } from "../scenarios/kit.ts";
import { TTL_SCENARIOS } from "../scenarios/ttl_scenarios.ts";

for (const { name, run } of TTL_SCENARIOS) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ nodes: 0 }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(new Kit({ client: cluster.client, namespace, eventually: cluster.eventually.bind(cluster) }));
    }));
}
