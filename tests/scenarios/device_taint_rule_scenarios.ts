/** Taints that administrators put on devices, where the gate `DRADeviceTaintRules` is on. */
import { DEVICETAINTRULES } from "../../src/api/mod.ts";
import {
  createRule,
  createUser,
  isCalledOff,
  isEvicted,
  look,
  noteRule,
  offer,
  ownName,
  ruleSays,
  tolerated,
} from "./device_taint_kit.ts";
import type { Scenario } from "./scenario.ts";

const HOUR_SECONDS = 3600;

export const DEVICE_TAINT_RULE_SCENARIOS: readonly Scenario[] = [
  {
    name: "dtr-evicts",
    run: async (kit) => {
      await createUser(kit, "p");
      await createUser(kit, "other", { device: "e" });
      await createRule(kit, "rule", "NoExecute", "d");
      await isEvicted(kit, "p");
      await ruleSays(kit, "rule", "Completed", "1 pod evicted");
      await noteRule(kit, "rule");
    },
  },
  {
    name: "dtr-evicts-several",
    run: async (kit) => {
      for (const name of ["p", "q", "r"]) await createUser(kit, name, { device: name });
      await createRule(kit, "rule", "NoExecute");
      for (const name of ["p", "q", "r"]) await isEvicted(kit, name);
      await ruleSays(kit, "rule", "Completed", "3 pods evicted");
      await noteRule(kit, "rule");
    },
  },
  {
    name: "dtr-waits-and-is-called-off",
    run: async (kit) => {
      await createUser(kit, "p", { tolerations: [tolerated(HOUR_SECONDS)] });
      await createRule(kit, "rule", "NoExecute");
      await ruleSays(kit, "rule", "PodsPendingEviction");
      await noteRule(kit, "rule");
      await kit.client.delete(DEVICETAINTRULES, { name: ownName(kit, "rule") });
      await isCalledOff(kit, "p");
    },
  },
  {
    name: "dtr-without-effect",
    run: async (kit) => {
      await offer(kit, { d: [], e: [], f: [] });
      for (const name of ["p", "q"]) await createUser(kit, name);
      await createUser(kit, "r", { device: "e", tolerations: [tolerated()] });
      await look(kit);
      await createRule(kit, "rule", "None");
      await ruleSays(kit, "rule", "NoEffect");
      await noteRule(kit, "rule");
    },
  },
  {
    name: "dtr-with-another-effect",
    run: async (kit) => {
      await createUser(kit, "p");
      await createRule(kit, "rule", "NoSchedule");
      await ruleSays(kit, "rule", "OtherEffect");
      await noteRule(kit, "rule");
    },
  },
  {
    name: "dtr-concerns-nobody",
    run: async (kit) => {
      await createUser(kit, "p");
      await createRule(kit, "rule", "NoExecute", "e");
      await ruleSays(kit, "rule", "NotStarted");
      await noteRule(kit, "rule");
    },
  },
  {
    name: "dtr-tried-first-and-then-meant",
    run: async (kit) => {
      await createUser(kit, "p");
      await look(kit);
      await createRule(kit, "rule", "None");
      await ruleSays(kit, "rule", "NoEffect", "1 pod would be evicted");
      await kit.merge(DEVICETAINTRULES, ownName(kit, "rule"), { spec: { taint: { effect: "NoExecute" } } });
      await isEvicted(kit, "p");
      await ruleSays(kit, "rule", "Completed", "1 pod evicted");
      await noteRule(kit, "rule");
    },
  },
];
