/** The scenarios of ServiceCIDRs on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { SERVICE_CIDR_SCENARIOS } from "../scenarios/service_cidr_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

for (const { name, run } of SERVICE_CIDR_SCENARIOS) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({}, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}
