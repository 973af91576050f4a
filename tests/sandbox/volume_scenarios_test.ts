/** The scenarios of claims, volumes and devices on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { EPHEMERAL_SCENARIOS } from "../scenarios/ephemeral_scenarios.ts";
import { EXPANSION_SCENARIOS } from "../scenarios/expansion_scenarios.ts";
import { RESOURCECLAIM_SCENARIOS } from "../scenarios/resourceclaim_scenarios.ts";
import { VOLUME_PROTECTION_SCENARIOS } from "../scenarios/volume_protection_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

/** These say by hand in which phase a volume is. */
const UNBOUND = ["--controllers=*,-persistentvolume-binder-controller"];

const SCENARIOS = [
  ...[...VOLUME_PROTECTION_SCENARIOS, ...EPHEMERAL_SCENARIOS, ...RESOURCECLAIM_SCENARIOS].map((scenario) => ({
    ...scenario,
    flags: UNBOUND,
  })),
  ...EXPANSION_SCENARIOS.map((scenario) => ({ ...scenario, flags: [] })),
];

for (const { name, run, flags } of SCENARIOS) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ flags }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}
