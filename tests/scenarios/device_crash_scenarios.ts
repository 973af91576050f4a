/** What is done to devices and their users while the controllers of these are killed. */
import { DEVICETAINTRULES, RESOURCECLAIMS, RESOURCEPOOLSTATUSREQUESTS } from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import {
  BROKEN,
  createRule,
  createUser,
  isEvicted,
  offer,
  ownName,
  ruleSays,
  taint,
  tolerated,
} from "./device_taint_kit.ts";

export const DEVICE_CRASH_FLAGS = ["--feature-gates=DRADeviceTaintRules=true,DRAResourcePoolStatus=true"];

export const DEVICE_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "evicted from devices",
    controllers: ["device-taint-eviction-controller"],
    resources: [RESOURCECLAIMS],
    run: async (kit) => {
      await offer(kit, { d: [], e: [], f: [] });
      for (const name of ["p", "q"]) await createUser(kit, name);
      await createUser(kit, "patient", { device: "e", tolerations: [tolerated(120)] });
      await createUser(kit, "spared", { device: "f", tolerations: [tolerated()] });
      await taint(kit, { d: [BROKEN], e: [BROKEN], f: [BROKEN] });
      for (const name of ["p", "q", "patient"]) await isEvicted(kit, name);
    },
  },
  {
    name: "evicted by a rule",
    controllers: ["device-taint-eviction-controller"],
    resources: [RESOURCECLAIMS],
    run: async (kit) => {
      await createUser(kit, "p", { tolerations: [tolerated(3600)] });
      await createUser(kit, "q", { device: "e" });
      await createRule(kit, "slow", "NoExecute", "d");
      await createRule(kit, "quick", "NoExecute", "e");
      await isEvicted(kit, "q");
      await ruleSays(kit, "slow", "PodsPendingEviction");
      await kit.client.delete(DEVICETAINTRULES, { name: ownName(kit, "quick") });
    },
  },
  {
    name: "pools that are asked for",
    controllers: ["resourcepoolstatusrequest-controller"],
    resources: [],
    run: async (kit) => {
      await offer(kit, { d: [], e: [] });
      for (const name of ["a", "b", "c"]) {
        await kit.client.create(RESOURCEPOOLSTATUSREQUESTS, {
          metadata: { name: ownName(kit, name) },
          spec: { driver: "gpu.example.com" },
        });
      }
      for (const name of ["a", "b", "c"]) {
        await kit.until(RESOURCEPOOLSTATUSREQUESTS, ownName(kit, name), "is answered", ({ status }) => status);
      }
    },
  },
];
