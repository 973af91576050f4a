/** Claims and volumes that are bound to each other, under upstream's manager and under ours, on a real API server. */
import { PERSISTENTVOLUMECLAIMS } from "../../src/api/mod.ts";
import { VOLUME_BINDING_SCENARIOS } from "../scenarios/volume_binding_scenarios.ts";
import { VOLUME_PROVISIONING_SCENARIOS } from "../scenarios/volume_provisioning_scenarios.ts";
import { VOLUME_RECLAIM_SCENARIOS } from "../scenarios/volume_reclaim_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const OFTEN = "--pvclaimbinder-sync-period=3s";

parityTest("Claims and volumes are bound under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "volume_binding",
    scenarios: VOLUME_BINDING_SCENARIOS,
    flags: [OFTEN],
    resources: [PERSISTENTVOLUMECLAIMS],
  });
});

parityTest("Volumes are made and reclaimed under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "volume_reclaim",
    scenarios: VOLUME_RECLAIM_SCENARIOS,
    flags: [OFTEN, "--enable-hostpath-provisioner=true"],
    resources: [PERSISTENTVOLUMECLAIMS],
  });
});

parityTest("Claims get volumes of an external provisioner under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 2, storage: true });
  await assertParity(cluster, {
    area: "volume_provisioning",
    scenarios: VOLUME_PROVISIONING_SCENARIOS,
    flags: [OFTEN],
    resources: [PERSISTENTVOLUMECLAIMS],
  });
});
