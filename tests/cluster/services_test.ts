/** Slices of Services under upstream's manager and under ours, on a real API server; nobody runs the pods. */
import { MIRROR_SCENARIOS } from "../scenarios/mirror_scenarios.ts";
import { SLICE_CHURN_SCENARIOS, SMALL_SLICE_FLAGS, SMALL_SLICE_SCENARIOS } from "../scenarios/slice_churn_scenarios.ts";
import { SLICE_HINT_SCENARIOS } from "../scenarios/slice_hint_scenarios.ts";
import { SLICE_PACKING_SCENARIOS } from "../scenarios/slice_packing_scenarios.ts";
import { SLICE_SCENARIOS } from "../scenarios/slice_scenarios.ts";
import { PATIENT_WITH_NODES } from "../controlplane/manager.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("EndpointSlices are the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "slices",
    scenarios: [...SLICE_SCENARIOS, ...SLICE_PACKING_SCENARIOS, ...SLICE_HINT_SCENARIOS, ...SLICE_CHURN_SCENARIOS],
    flags: PATIENT_WITH_NODES,
  });
});

parityTest("Mirrors of Endpoints are the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, { area: "mirrors", scenarios: MIRROR_SCENARIOS, flags: PATIENT_WITH_NODES });
});

parityTest("Slices of few endpoints are the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "small_slices",
    scenarios: SMALL_SLICE_SCENARIOS,
    flags: [...PATIENT_WITH_NODES, ...SMALL_SLICE_FLAGS],
  });
});
