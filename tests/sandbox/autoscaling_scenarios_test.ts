/** The scenarios of autoscalers on the embedded API server: the whole manager, no network. */
import { withTestCluster } from "kubeloop/testing";
import { AUTOSCALING_SCENARIOS } from "../scenarios/autoscaling_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

for (const { name, run } of AUTOSCALING_SCENARIOS) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({}, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      const kit = kitOf(cluster, namespace);
      await run(kit, cluster.metrics);
    }));
}
