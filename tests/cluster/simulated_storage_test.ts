/** Simulated storage on a real API server, under upstream's manager: what the real sidecars do for it. */
import { assertEquals } from "@std/assert";
import { PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, type Pod, PODS, VOLUMEATTACHMENTS } from "../../src/api/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import { SIMULATED_STORAGE_DRIVER } from "../../src/rules/mod.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { claimOf, simulatedClass, untilBound } from "../scenarios/storage_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

/** Whether the manager looks before the driver is done, and says so, is left open. */
const OF_A_RESIZE = ["Resizing", "FileSystemResizeRequired", "FileSystemResizeSuccessful"];

function podUsing(name: string, claimName: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      containers: [{ name: "c", image: "nginx:1" }],
      terminationGracePeriodSeconds: 1,
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  };
}

clusterTest(
  "simulated storage provides, attaches, detaches and deletes volumes as a driver's sidecars do",
  async () => {
    await using cluster = await Cluster.start({ nodes: 2, storage: true, simulated: { events: true } });
    const manager = await startManager(cluster.plane, "upstream");
    const kit = await cluster.namespace("storage");
    const { client } = cluster;
    const now = await simulatedClass(kit, "now", { mountOptions: ["noatime"] });
    const later = await simulatedClass(kit, "later", { volumeBindingMode: "WaitForFirstConsumer" });
    await kit.create(
      PERSISTENTVOLUMECLAIMS,
      claimOf(now, "a", { metadata: { annotations: { "kubeloop.dev/provision": "fail" } } }),
    );
    await kit.untilEvent("ProvisioningFailed");
    await kit.merge(PERSISTENTVOLUMECLAIMS, "a", { metadata: { annotations: { "kubeloop.dev/provision": null } } });
    await kit.create(PERSISTENTVOLUMECLAIMS, claimOf(later, "b"));
    const { metadata, spec } = await untilBound(kit, "a");
    assertEquals(spec?.volumeName, `pvc-${metadata?.uid}`);
    const volume = await client.get(PERSISTENTVOLUMES, { name: spec!.volumeName! });
    assertEquals(volume.spec?.mountOptions, ["noatime"]);
    assertEquals(volume.spec?.csi?.driver, SIMULATED_STORAGE_DRIVER);
    assertEquals(volume.metadata?.finalizers?.includes("external-provisioner.volume.kubernetes.io/finalizer"), true);

    for (const name of ["a", "b"]) await kit.create(PODS, podUsing(name, name));
    for (const name of ["a", "b"]) await kit.until(PODS, name, "runs", ({ status }) => status?.phase === "Running");
    await eventually("both are attached", async () => {
      const { items } = await client.list(VOLUMEATTACHMENTS, {});
      return items.length === 2 && items.every(({ status }) => status?.attached);
    });
    await kit.merge(PERSISTENTVOLUMECLAIMS, "a", { spec: { resources: { requests: { storage: "2Gi" } } } });
    const { status } = await kit.until(
      PERSISTENTVOLUMECLAIMS,
      "a",
      "has 2Gi",
      ({ status }) => status?.capacity?.storage === "2Gi",
    );
    assertEquals(status, {
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "2Gi" },
      allocatedResources: { storage: "2Gi" },
    });
    assertEquals((await client.get(PERSISTENTVOLUMES, { name: spec!.volumeName! })).spec?.capacity, { storage: "2Gi" });
    await kit.untilEvent("FileSystemResizeSuccessful");
    for (const reason of ["Provisioning", "ProvisioningSucceeded", "SuccessfulAttachVolume", ...OF_A_RESIZE]) {
      await kit.untilEvent(reason);
    }
    for (const name of ["a", "b"]) await kit.delete(PODS, name);
    await eventually("both are detached", async () => (await client.list(VOLUMEATTACHMENTS, {})).items.length === 0);
    for (const name of ["a", "b"]) await kit.delete(PERSISTENTVOLUMECLAIMS, name);
    await eventually(
      "both volumes are gone",
      async () => (await client.list(PERSISTENTVOLUMES, {})).items.length === 0,
    );
    assertEquals(
      isNotFound(await client.get(PERSISTENTVOLUMES, { name: spec!.volumeName! }).catch((e) => e)),
      true,
    );
    await manager.process.stop();
  },
);
