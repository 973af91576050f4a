/** The scenarios of Services and their slices on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { MIRROR_SCENARIOS } from "../scenarios/mirror_scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { SLICE_CHURN_SCENARIOS, SMALL_SLICE_FLAGS, SMALL_SLICE_SCENARIOS } from "../scenarios/slice_churn_scenarios.ts";
import { SLICE_HINT_SCENARIOS } from "../scenarios/slice_hint_scenarios.ts";
import { SLICE_PACKING_SCENARIOS } from "../scenarios/slice_packing_scenarios.ts";
import { SLICE_SCENARIOS } from "../scenarios/slice_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const CONTROLLERS = [
  "endpoints-controller",
  "endpointslice-controller",
  "endpointslice-mirroring-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
];
const ALL = [
  ...SLICE_SCENARIOS,
  ...SLICE_PACKING_SCENARIOS,
  ...SLICE_HINT_SCENARIOS,
  ...SLICE_CHURN_SCENARIOS,
  ...MIRROR_SCENARIOS,
];

function play(scenarios: readonly Scenario[], flags: readonly string[] = []): void {
  for (const { name, run } of scenarios) {
    Deno.test(`scenario ${name} settles on the embedded API server`, () =>
      withTestCluster({ nodes: 0, flags: [`--controllers=${CONTROLLERS}`, ...flags] }, async (cluster) => {
        const namespace = await cluster.namespace("scenario");
        await run(kitOf(cluster, namespace));
      }));
  }
}

play(ALL);
play(SMALL_SLICE_SCENARIOS, SMALL_SLICE_FLAGS);
