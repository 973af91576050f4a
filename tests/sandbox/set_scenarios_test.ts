/** The scenarios of StatefulSets, DaemonSets and ReplicationControllers on the embedded API server: the whole manager, no network. */
import { withTestCluster } from "kubeloop/testing";
import { NODE_SCENARIOS } from "../scenarios/daemonset_node_scenarios.ts";
import { DAEMONSET_SCENARIOS } from "../scenarios/daemonset_scenarios.ts";
import { REPLICATION_SCENARIOS } from "../scenarios/replication_scenarios.ts";
import { STATEFULSET_SCENARIOS } from "../scenarios/statefulset_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const ALL = [...STATEFULSET_SCENARIOS, ...DAEMONSET_SCENARIOS, ...NODE_SCENARIOS, ...REPLICATION_SCENARIOS];

for (const { name, run } of ALL) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({}, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}
