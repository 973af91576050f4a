/** The scenarios of quotas on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { QUOTA_SCENARIOS } from "../scenarios/quota_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

/** One says itself which class of attributes a claim without a volume has. */
const FLAGS = ["--controllers=*,-persistentvolume-binder-controller"];

for (const { name, run } of QUOTA_SCENARIOS) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ flags: FLAGS }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}
