/** Volumes that grow, and pods with SELinux labels, while the controllers of these are killed. */
import { CONFIGMAPS, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES } from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import { askFor, growingClaim, growingClass } from "./expansion_kit.ts";
import { areTold, createBound, createDriver, createSharer, ONE, OTHER } from "./selinux_kit.ts";
import { endPod, findCluster } from "./volume_kit.ts";

export const CLAIM_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "made-larger",
    controllers: ["persistentvolume-expander-controller"],
    resources: [PERSISTENTVOLUMECLAIMS, CONFIGMAPS],
    run: async (kit) => {
      await growingClass(kit);
      for (const name of ["a", "b"]) await growingClaim(kit, name);
      for (const [name, storage] of [["a", "2Gi"], ["b", "3Gi"]]) {
        await askFor(kit, name, storage);
        await kit.until(
          PERSISTENTVOLUMECLAIMS,
          name,
          "waits for its node",
          ({ status }) => status?.allocatedResourceStatuses?.storage === "NodeResizePending",
        );
      }
      const sizes = ["a", "b"].map(async (name) => [name, (await findCluster(kit, PERSISTENTVOLUMES, name))?.spec]);
      const data = Object.fromEntries((await Promise.all(sizes)).map(([name, spec]) => [name, JSON.stringify(spec)]));
      const plain = JSON.parse(
        JSON.stringify(data).replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uid").replaceAll(
          kit.namespace,
          "ns",
        ),
      );
      await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "sizes" }, data: plain });
    },
  },
  {
    name: "labelled",
    controllers: ["selinux-warning-controller"],
    resources: [],
    mayTell: new Map([[/SELinux.*Conflict/, "who comes later tells all that holds by then"]]),
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      await createSharer(kit, "p", { options: ONE });
      await createSharer(kit, "q", { options: OTHER });
      await areTold(kit, "SELinuxLabelConflict", "p", "q");
      await createSharer(kit, "r", { options: ONE, policy: "Recursive" });
      await areTold(kit, "SELinuxChangePolicyConflict", "r");
      await endPod(kit, "q");
      await createSharer(kit, "s", { options: OTHER });
      await areTold(kit, "SELinuxLabelConflict", "s");
    },
  },
];
