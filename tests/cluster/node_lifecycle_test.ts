/** What becomes of nodes and their pods under upstream's manager and under ours, on a real API server with nodes that only speak. */
import { NODE_BLACKOUT_SCENARIOS } from "../scenarios/node_blackout_scenarios.ts";
import { NODE_EVICTION_SCENARIOS } from "../scenarios/node_eviction_scenarios.ts";
import { NODE_FLAP_SCENARIOS } from "../scenarios/node_flap_scenarios.ts";
import { NODE_LIFECYCLE_SCENARIOS } from "../scenarios/node_lifecycle_scenarios.ts";
import {
  OTHER_ZONE_FLAGS,
  OTHER_ZONE_SCENARIOS,
  ZONE_DISRUPTION_FLAGS,
  ZONE_DISRUPTION_SCENARIOS,
} from "../scenarios/zone_disruption_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const NODES = {
  flags: ["--node-monitor-period=1s", "--node-monitor-grace-period=10s", "--node-startup-grace-period=10s"],
};

parityTest("Nodes fall silent, ill and well again under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    ...NODES,
    area: "node_lifecycle",
    scenarios: [...NODE_LIFECYCLE_SCENARIOS, ...NODE_FLAP_SCENARIOS],
    parallel: NODE_LIFECYCLE_SCENARIOS.length + NODE_FLAP_SCENARIOS.length,
    beside: () => cluster.beside({ nodes: 0 }),
  });
});

parityTest("Pods leave tainted nodes under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    ...NODES,
    area: "node_evictions",
    scenarios: NODE_EVICTION_SCENARIOS,
    parallel: NODE_EVICTION_SCENARIOS.length,
    beside: () => cluster.beside({ nodes: 0 }),
  });
});

parityTest(
  "A cluster without a node that is well keeps its pods under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    await assertParity(cluster, {
      ...NODES,
      area: "node_blackouts",
      scenarios: NODE_BLACKOUT_SCENARIOS,
      parallel: 1,
      beside: () => cluster.beside({ nodes: 0 }),
    });
  },
);

parityTest("Zones lose most of their nodes under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    flags: ZONE_DISRUPTION_FLAGS,
    area: "zone_disruptions",
    scenarios: ZONE_DISRUPTION_SCENARIOS,
    beside: () => cluster.beside({ nodes: 0 }),
  });
  await assertParity(cluster, {
    flags: OTHER_ZONE_FLAGS,
    area: "zone_disruptions_by_flags",
    scenarios: OTHER_ZONE_SCENARIOS,
  });
});
