/** Volumes that programs of FlexVolume drivers attach, under upstream's manager and under ours, on a real API server. */
import { PATIENT_WITH_NODES, WITHOUT_POD_COLLECTION } from "../controlplane/manager.ts";
import { FlexDrivers } from "../scenarios/flex_volume_kit.ts";
import { flexVolumeScenarios } from "../scenarios/flex_volume_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest(
  "FlexVolumes are attached by their drivers' programs under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const drivers = new FlexDrivers(cluster.plane.folder);
    await assertParity(cluster, {
      area: "flex_volumes",
      scenarios: flexVolumeScenarios(drivers),
      flags: [
        "--attach-detach-reconcile-sync-period=1s",
        "--controllers=-persistentvolume-binder-controller",
        ...PATIENT_WITH_NODES,
        WITHOUT_POD_COLLECTION,
      ],
      // Every cluster has a folder of its own.
      flagsOf: () => [`--flex-volume-plugin-dir=${drivers.folder}`],
    });
  },
);
