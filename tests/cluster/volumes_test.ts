/** Claims, volumes and their classes under upstream's manager and under ours, on a real API server. */
import { PERSISTENTVOLUMECLAIMS } from "../../src/api/mod.ts";
import { EPHEMERAL_SCENARIOS } from "../scenarios/ephemeral_scenarios.ts";
import { VOLUME_PROTECTION_SCENARIOS } from "../scenarios/volume_protection_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLERS = [
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-protection-controller",
  "volumeattributesclass-protection-controller",
  "ephemeral-volume-controller",
];

parityTest("Claims and volumes are kept and made under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "volumes",
    scenarios: [...VOLUME_PROTECTION_SCENARIOS, ...EPHEMERAL_SCENARIOS],
    controllers: CONTROLLERS,
    resources: [PERSISTENTVOLUMECLAIMS],
  });
});
