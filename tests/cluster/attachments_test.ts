/** Volumes that are attached and detached under upstream's manager and under ours, on a real API server. */
import { PATIENT_WITH_NODES, WITHOUT_POD_COLLECTION } from "../controlplane/manager.ts";
import { ATTACHMENT_SCENARIOS } from "../scenarios/attachment_scenarios.ts";
import { DRIVEN_ATTACHMENT_SCENARIOS } from "../scenarios/driven_attachment_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Volumes are attached and detached under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0, storage: true });
  await assertParity(cluster, {
    area: "attachments",
    scenarios: [...ATTACHMENT_SCENARIOS, ...DRIVEN_ATTACHMENT_SCENARIOS],
    flags: [
      "--attach-detach-reconcile-sync-period=1s",
      // Whether it sees that a volume is replaced is a matter of luck.
      "--controllers=-persistentvolume-binder-controller",
      ...PATIENT_WITH_NODES,
      WITHOUT_POD_COLLECTION,
    ],
  });
});
