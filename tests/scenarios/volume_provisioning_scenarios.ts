/** Claims whose volumes an external provisioner makes, and the pods that use them. */
import { PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, PODS } from "../../src/api/mod.ts";
import { claimIs, lookedAt, noteVolume } from "./binding_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { claimOf, simulatedClass, untilBound } from "./storage_kit.ts";

const VARYING = "sidecars, kubelets and scheduler tell their own";

/** Waits until a volume is gone. */
async function untilVolumeIsGone(kit: Kit, volumeName: string): Promise<void> {
  await kit.untilAll(PERSISTENTVOLUMECLAIMS, `${volumeName} is gone`, async () => {
    const { items } = await kit.client.list(PERSISTENTVOLUMES);
    return items.every(({ metadata }) => metadata?.name !== volumeName);
  });
}

/** A pod that uses a claim, on any node. */
async function use(kit: Kit, name: string, claimName: string): Promise<void> {
  await kit.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      containers: [{ name: "c", image: "nginx:1" }],
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  });
}

export const VOLUME_PROVISIONING_SCENARIOS: readonly Scenario[] = [
  {
    name: "vp-made-at-once-and-deleted",
    eventsDiffer: VARYING,
    run: async (kit) => {
      await kit.create(PERSISTENTVOLUMECLAIMS, claimOf(await simulatedClass(kit), "a"));
      const { spec } = await untilBound(kit, "a");
      await lookedAt(kit);
      await noteVolume(kit, "v", spec!.volumeName!);
      await kit.delete(PERSISTENTVOLUMECLAIMS, "a");
      await kit.untilGone(PERSISTENTVOLUMECLAIMS, "a");
      await untilVolumeIsGone(kit, spec!.volumeName!);
    },
  },
  {
    name: "vp-retained",
    eventsDiffer: VARYING,
    run: async (kit) => {
      const className = await simulatedClass(kit, "kept", { reclaimPolicy: "Retain" });
      await kit.create(PERSISTENTVOLUMECLAIMS, claimOf(className, "a"));
      const { spec } = await untilBound(kit, "a");
      await kit.delete(PERSISTENTVOLUMECLAIMS, "a");
      await kit.untilGone(PERSISTENTVOLUMECLAIMS, "a");
      await kit.untilAll(PERSISTENTVOLUMECLAIMS, "its volume is released", async () => {
        const { status } = await kit.client.get(PERSISTENTVOLUMES, { name: spec!.volumeName! });
        return status?.phase === "Released";
      });
      await lookedAt(kit);
      await noteVolume(kit, "v", spec!.volumeName!);
    },
  },
  {
    name: "vp-made-for-a-pod",
    eventsDiffer: VARYING,
    run: async (kit) => {
      const className = await simulatedClass(kit, "later", { volumeBindingMode: "WaitForFirstConsumer" });
      await kit.create(PERSISTENTVOLUMECLAIMS, claimOf(className, "a"));
      await kit.untilEvent("WaitForFirstConsumer");
      await claimIs(kit, "a", "Pending");
      await use(kit, "p", "a");
      await untilBound(kit, "a");
      await kit.until(PODS, "p", "runs", ({ status }) => status?.phase === "Running");
      await kit.delete(PODS, "p");
      await kit.untilGone(PODS, "p");
      const { spec } = await kit.get(PERSISTENTVOLUMECLAIMS, "a");
      await kit.delete(PERSISTENTVOLUMECLAIMS, "a");
      await kit.untilGone(PERSISTENTVOLUMECLAIMS, "a");
      await untilVolumeIsGone(kit, spec!.volumeName!);
    },
  },
];
