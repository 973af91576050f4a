/** The scenarios of claims, volumes and devices on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { EPHEMERAL_SCENARIOS } from "../scenarios/ephemeral_scenarios.ts";
import { Kit } from "../scenarios/kit.ts";
import { RESOURCECLAIM_SCENARIOS } from "../scenarios/resourceclaim_scenarios.ts";
import { VOLUME_PROTECTION_SCENARIOS } from "../scenarios/volume_protection_scenarios.ts";

for (const { name, run } of [...VOLUME_PROTECTION_SCENARIOS, ...EPHEMERAL_SCENARIOS, ...RESOURCECLAIM_SCENARIOS]) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({}, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(new Kit({ client: cluster.client, namespace, eventually: cluster.eventually.bind(cluster) }));
    }));
}
