/** The scenarios of nodes on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { NODE_BLACKOUT_SCENARIOS } from "../scenarios/node_blackout_scenarios.ts";
import { NODE_EVICTION_SCENARIOS } from "../scenarios/node_eviction_scenarios.ts";
import { NODE_FLAP_SCENARIOS } from "../scenarios/node_flap_scenarios.ts";
import { NODE_LIFECYCLE_SCENARIOS } from "../scenarios/node_lifecycle_scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import {
  OTHER_ZONE_FLAGS,
  OTHER_ZONE_SCENARIOS,
  ZONE_DISRUPTION_FLAGS,
  ZONE_DISRUPTION_SCENARIOS,
} from "../scenarios/zone_disruption_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const ALONE = "--controllers=*,-pod-garbage-collector-controller";
const HASTE = ["--node-monitor-period=1s", "--node-monitor-grace-period=10s", "--node-startup-grace-period=10s"];

function play(scenarios: readonly Scenario[], flags: readonly string[]): void {
  for (const { name, run } of scenarios) {
    Deno.test(`scenario ${name} settles on the embedded API server`, () =>
      withTestCluster({ nodes: 0, flags: [ALONE, ...flags] }, async (cluster) => {
        const namespace = await cluster.namespace("scenario");
        await run(kitOf(cluster, namespace));
      }));
  }
}

play(
  [...NODE_LIFECYCLE_SCENARIOS, ...NODE_FLAP_SCENARIOS, ...NODE_EVICTION_SCENARIOS, ...NODE_BLACKOUT_SCENARIOS],
  HASTE,
);
play(ZONE_DISRUPTION_SCENARIOS, ZONE_DISRUPTION_FLAGS);
play(OTHER_ZONE_SCENARIOS, OTHER_ZONE_FLAGS);
