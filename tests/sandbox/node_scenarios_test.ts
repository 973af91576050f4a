/** The scenarios of nodes on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { Kit } from "../scenarios/kit.ts";
import { NODE_BLACKOUT_SCENARIOS } from "../scenarios/node_blackout_scenarios.ts";
import { NODE_EVICTION_SCENARIOS } from "../scenarios/node_eviction_scenarios.ts";
import { NODE_LIFECYCLE_SCENARIOS } from "../scenarios/node_lifecycle_scenarios.ts";

const flags = [
  "--controllers=*,-pod-garbage-collector-controller",
  "--node-monitor-period=1s",
  "--node-monitor-grace-period=10s",
  "--node-startup-grace-period=10s",
];

for (const { name, run } of [...NODE_LIFECYCLE_SCENARIOS, ...NODE_EVICTION_SCENARIOS, ...NODE_BLACKOUT_SCENARIOS]) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ nodes: 0, flags }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(new Kit({ client: cluster.client, namespace, eventually: cluster.eventually.bind(cluster) }));
    }));
}
