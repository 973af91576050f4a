/** The scenarios of Services and their slices on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { Kit } from "../scenarios/kit.ts";
import { MIRROR_SCENARIOS } from "../scenarios/mirror_scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { SLICE_CHURN_SCENARIOS, SMALL_SLICE_FLAGS, SMALL_SLICE_SCENARIOS } from "../scenarios/slice_churn_scenarios.ts";
import { SLICE_HINT_SCENARIOS } from "../scenarios/slice_hint_scenarios.ts";
import { SLICE_PACKING_SCENARIOS } from "../scenarios/slice_packing_scenarios.ts";
import { SLICE_SCENARIOS } from "../scenarios/slice_scenarios.ts";

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
        const { client, apiServer } = cluster;
        const eventually = cluster.eventually.bind(cluster);
        await run(
          new Kit({
            client,
            namespace,
            eventually,
            store: (resource, object) => Promise.resolve(apiServer.storeUnchecked(resource, object)),
          }),
        );
      }));
  }
}

play(ALL);
play(SMALL_SLICE_SCENARIOS, SMALL_SLICE_FLAGS);
