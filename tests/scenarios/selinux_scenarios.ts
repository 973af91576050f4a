/** Pods that share volumes with different SELinux labels, and what they are told. */
import { CSIDRIVERS, NAMESPACES, PERSISTENTVOLUMECLAIMS } from "../../src/api/mod.ts";
import type { Scenario } from "./scenario.ts";
import {
  areTold,
  bind,
  createBound,
  createDriver,
  createSharer,
  level,
  look,
  ONE,
  OTHER,
  ownName,
} from "./selinux_kit.ts";
import { endPod, storageClaim } from "./volume_kit.ts";

const LABEL = "SELinuxLabelConflict";
const POLICY = "SELinuxChangePolicyConflict";

export const SELINUX_SCENARIOS: readonly Scenario[] = [
  {
    name: "sl-different-levels",
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      await createSharer(kit, "p", { options: ONE });
      await createSharer(kit, "q", { options: OTHER });
      await areTold(kit, LABEL, "p", "q");
    },
  },
  {
    name: "sl-same-levels-and-then-another",
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      for (const name of ["p", "q"]) await createSharer(kit, name, { options: ONE });
      await look(kit);
      await createSharer(kit, "r", { options: OTHER });
      await areTold(kit, LABEL, "p", "q", "r");
    },
  },
  {
    name: "sl-recursive-both",
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      await createSharer(kit, "p", { options: ONE, policy: "Recursive" });
      await createSharer(kit, "q", { options: OTHER, policy: "Recursive" });
      await look(kit);
    },
  },
  {
    name: "sl-recursive-and-not",
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      await createSharer(kit, "p", { options: ONE, policy: "Recursive" });
      await createSharer(kit, "q", { options: ONE });
      await areTold(kit, POLICY, "p", "q");
      await areTold(kit, LABEL, "p", "q");
    },
  },
  {
    name: "sl-driver-learns-it",
    run: async (kit) => {
      await createDriver(kit, false);
      await createBound(kit, "data");
      await createSharer(kit, "p", { options: ONE });
      await createSharer(kit, "q", { options: OTHER });
      await look(kit);
      const body = { spec: { seLinuxMount: true } };
      await kit.client.patch(CSIDRIVERS, { name: ownName(kit, "csi") }, { type: "merge", body });
      await areTold(kit, LABEL, "p", "q");
    },
    eventsDiffer: "whichever pod is looked at first has another label than the other for a while",
  },
  {
    name: "sl-one-has-ended",
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      await createSharer(kit, "p", { options: ONE });
      await look(kit);
      await endPod(kit, "p");
      await createSharer(kit, "q", { options: OTHER });
      await createSharer(kit, "r", { options: ONE });
      await areTold(kit, LABEL, "q", "r");
    },
  },
  {
    name: "sl-two-in-one-pod",
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      await createSharer(kit, "p", { options: ONE, secondOptions: OTHER });
      await areTold(kit, "MultipleSELinuxLabels", "p");
      await createSharer(kit, "q", { options: ONE, secondOptions: OTHER, volume: { emptyDir: {} } });
      await areTold(kit, "MultipleSELinuxLabels", "q");
    },
  },
  {
    name: "sl-bound-later",
    run: async (kit) => {
      await createDriver(kit, true);
      await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("data"));
      await createSharer(kit, "p", { options: ONE });
      await createSharer(kit, "q", { options: OTHER });
      await look(kit);
      await bind(kit, "data");
      await areTold(kit, LABEL, "p", "q");
    },
  },
  {
    name: "sl-in-two-namespaces",
    run: async (kit) => {
      const namespace = `${kit.namespace}x`;
      await kit.client.create(NAMESPACES, { metadata: { name: namespace } });
      await createDriver(kit, true);
      await createBound(kit, "data", { handle: "shared" });
      await createBound(kit, "secret", { namespace, handle: "shared" });
      await createSharer(kit, "hidden", { namespace, claim: "secret", options: ONE });
      await createSharer(kit, "q", { options: OTHER });
      await areTold(kit, LABEL, "q");
    },
  },
  {
    name: "sl-parts-that-nobody-states",
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      const whole = { user: "system_u", role: "system_r", type: "t", level: "s0" };
      await createSharer(kit, "p", { options: whole });
      await createSharer(kit, "q", { options: level("s0") });
      await look(kit);
      await createSharer(kit, "r", { options: { ...whole, type: "u" } });
      await areTold(kit, LABEL, "p", "r");
    },
  },
  {
    name: "sl-volumes-without-claims",
    run: async (kit) => {
      const iscsi = { targetPortal: "10.0.0.1:3260", iqn: `iqn.2026-01.example:${kit.namespace}`, lun: 0 };
      await createSharer(kit, "p", { volume: { iscsi }, options: ONE });
      await createSharer(kit, "q", { volume: { iscsi }, options: OTHER });
      await areTold(kit, LABEL, "p", "q");
      const nfs = { server: "nfs.example.com", path: `/${kit.namespace}` };
      await createSharer(kit, "r", { volume: { nfs }, options: ONE });
      await createSharer(kit, "s", { volume: { nfs }, options: OTHER });
      await look(kit);
    },
  },
  {
    name: "sl-nobody-states-anything",
    run: async (kit) => {
      await createDriver(kit, true);
      await createBound(kit, "data");
      await createSharer(kit, "p", {});
      await createSharer(kit, "q", {});
      await look(kit);
      await createSharer(kit, "r", { options: ONE });
      await areTold(kit, POLICY, "p", "q", "r");
    },
  },
];
