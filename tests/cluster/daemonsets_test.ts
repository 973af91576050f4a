/** What comes of DaemonSets under upstream's manager and under ours. */
import { CONTROLLERREVISIONS, DAEMONSETS } from "../../src/api/mod.ts";
import { NODE_SCENARIOS } from "../scenarios/daemonset_node_scenarios.ts";
import { DAEMONSET_SCENARIOS } from "../scenarios/daemonset_scenarios.ts";
import { DAEMON_FAILURES } from "../scenarios/failure_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const DAEMONS = { resources: [DAEMONSETS, CONTROLLERREVISIONS] };

parityTest("DaemonSets with pods, revisions and events are under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ scheduler: false });
  cluster.plane.startScheduler();
  await assertParity(cluster, {
    ...DAEMONS,
    area: "daemonsets",
    scenarios: [...DAEMONSET_SCENARIOS, ...DAEMON_FAILURES],
  });
});

parityTest("DaemonSets follow changes of nodes under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start();
  await assertParity(cluster, { ...DAEMONS, area: "daemonsets_on_nodes", scenarios: NODE_SCENARIOS, parallel: 1 });
});
