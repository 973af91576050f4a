/** The scenarios of the parity tests, on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { SCENARIOS } from "../scenarios/scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

for (const { name, run } of SCENARIOS) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({}, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}
