/** Volumes that are attached to nodes, moved and detached; attachers and kubelets are played by hand. */
import {
  CSIDRIVERS,
  EVENTS,
  NODES,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  VOLUMEATTACHMENTS,
} from "../../src/api/mod.ts";
import {
  attach,
  bind,
  boundClaim,
  createClaim,
  createNode,
  createVolume,
  DRIVER,
  dropAttachment,
  failToAttach,
  failToDetach,
  handleOf,
  letAttach,
  letDetach,
  looked,
  noteAttachments,
  podOn,
  setInUse,
  takeOutOfService,
  uniqueName,
  untilAttachment,
  untilDetaching,
  untilReported,
} from "./attachment_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { clusterName, deleteCluster, endPod, patchCluster, removeAtOnce } from "./volume_kit.ts";

const RWX = { accessModes: ["ReadWriteMany"] };
const ON_A = { volume: "c", node: "a" };
const ON_B = { volume: "c", node: "b" };
const MULTI_ATTACH = "Multi-Attach error";

/** A pod whose volume is attached and in use. */
async function running(kit: Kit, spec = {}): Promise<void> {
  await createNode(kit, "a");
  await boundClaim(kit, "c", spec);
  await podOn(kit, "p", { node: "a", claims: ["c"] });
  await attach(kit, ON_A);
  await setInUse(kit, "a", ["c"]);
}

async function untilSaid(kit: Kit, pod: string, text: string): Promise<void> {
  await kit.untilAll(
    EVENTS,
    `${pod} is told: ${text}`,
    (events) => events.some(({ involvedObject, message }) => involvedObject?.name === pod && message?.includes(text)),
  );
}

const MOVES: readonly Scenario[] = [
  {
    name: "attach-for-a-pod",
    run: async (kit) => {
      await running(kit);
      await untilSaid(kit, "p", "succeeded");
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-detach",
    run: async (kit) => {
      await running(kit);
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await untilDetaching(kit, ON_A);
      await untilReported(kit, "a", []);
      await letDetach(kit, ON_A);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-unmanaged-node",
    run: async (kit) => {
      await createNode(kit, "a", { isManaged: false });
      await boundClaim(kit, "c");
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-annotation-lost",
    run: async (kit) => {
      await running(kit);
      await patchCluster(kit, NODES, "a", { metadata: { annotations: null } });
      await boundClaim(kit, "d");
      await podOn(kit, "q", { node: "a", claims: ["d"] });
      await letAttach(kit, { volume: "d", node: "a" });
      await untilReported(kit, "a", ["c", "d"]);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-in-use-stays",
    run: async (kit) => {
      await running(kit);
      await removeAtOnce(kit, "p");
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-out-of-service",
    run: async (kit) => {
      await running(kit);
      await removeAtOnce(kit, "p");
      await takeOutOfService(kit, "a");
      await letDetach(kit, ON_A);
      await untilReported(kit, "a", []);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-ended-pod-lets-go",
    run: async (kit) => {
      await running(kit);
      await endPod(kit, "p");
      await setInUse(kit, "a", []);
      await letDetach(kit, ON_A);
      await untilReported(kit, "a", []);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-for-two-pods",
    run: async (kit) => {
      await running(kit);
      await podOn(kit, "q", { node: "a", claims: ["c"] });
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-shared-volume",
    run: async (kit) => {
      await running(kit, RWX);
      await createNode(kit, "b");
      await podOn(kit, "q", { node: "b", claims: ["c"] });
      await attach(kit, ON_B);
      await setInUse(kit, "b", ["c"]);
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await letDetach(kit, ON_A);
      await untilReported(kit, "a", []);
      await noteAttachments(kit, ["a", "b"]);
    },
  },
  {
    name: "attach-moves",
    run: async (kit) => {
      await running(kit);
      await createNode(kit, "b");
      await podOn(kit, "q", { node: "b", claims: ["c"] });
      await untilSaid(kit, "q", MULTI_ATTACH);
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await letDetach(kit, ON_A);
      await attach(kit, ON_B);
      await untilSaid(kit, "q", "succeeded");
      await noteAttachments(kit, ["a", "b"]);
    },
  },
  {
    name: "attach-conflict-after-the-pod",
    run: async (kit) => {
      await running(kit);
      await createNode(kit, "b");
      await removeAtOnce(kit, "p");
      await podOn(kit, "q", { node: "b", claims: ["c"] });
      await untilSaid(kit, "q", "exclusively");
      await noteAttachments(kit, ["a", "b"]);
    },
  },
  {
    name: "attach-pod-made-anew",
    run: async (kit) => {
      await running(kit);
      await removeAtOnce(kit, "p");
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-error",
    eventsDiffer: "how often an attacher is asked before it says more depends on timing",
    run: async (kit) => {
      await createNode(kit, "a");
      await boundClaim(kit, "c");
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await failToAttach(kit, ON_A, "no such disk");
      await untilSaid(kit, "p", `AttachVolume.Attach failed for volume "${clusterName(kit, "c")}" : no such disk`);
      await attach(kit, ON_A);
      await untilSaid(kit, "p", "succeeded");
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "detach-error",
    run: async (kit) => {
      await running(kit);
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await failToDetach(kit, ON_A, "disk is stuck");
      await untilReported(kit, "a", []);
      await noteAttachments(kit, ["a"]);
      await letDetach(kit, ON_A);
    },
  },
];

const KINDS: readonly Scenario[] = [
  {
    name: "attach-iscsi",
    run: async (kit) => {
      const targetPortal = "192.0.2.1";
      const iqn = `iqn.2026-01.com.example:${kit.namespace}`;
      await createNode(kit, "a");
      await boundClaim(kit, "c", { iscsi: { targetPortal, iqn, lun: 1 } });
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await untilReported(kit, "a", [`kubernetes.io/iscsi/${targetPortal}:${iqn}:1`]);
      await untilSaid(kit, "p", "succeeded");
      await noteAttachments(kit, ["a"]);
      await removeAtOnce(kit, "p");
      await untilReported(kit, "a", []);
    },
  },
  {
    name: "attach-fibre-channel",
    run: async (kit) => {
      const wwn = `5-${kit.namespace}`;
      await createNode(kit, "a");
      await podOn(kit, "p", { node: "a", volumes: [{ name: "d", fc: { targetWWNs: [wwn, "6"], lun: 0 } }] });
      await untilReported(kit, "a", [`kubernetes.io/fc/[${wwn} 6]:0`]);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-migrated-volume",
    run: async (kit) => {
      const pdName = handleOf(kit, "c");
      const handle = `projects/UNSPECIFIED/zones/UNSPECIFIED/disks/${pdName}`;
      const driver = "pd.csi.storage.gke.io";
      await createNode(kit, "a");
      await boundClaim(kit, "c", { gcePersistentDisk: { pdName } });
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await letAttach(kit, { ...ON_A, driver, handle });
      await untilReported(kit, "a", [`kubernetes.io/csi/${driver}^${handle}`]);
      await untilSaid(kit, "p", "succeeded");
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-migrated-volume-of-a-pod",
    run: async (kit) => {
      const volumeID = handleOf(kit, "c");
      const driver = "cinder.csi.openstack.org";
      await createNode(kit, "a");
      await podOn(kit, "p", { node: "a", volumes: [{ name: "d", cinder: { volumeID, fsType: "xfs" } }] });
      await letAttach(kit, { ...ON_A, driver, handle: volumeID });
      await untilReported(kit, "a", [`kubernetes.io/csi/${driver}^${volumeID}`]);
      await untilSaid(kit, "p", "succeeded");
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-nothing-of-other-kinds",
    run: async (kit) => {
      await createNode(kit, "a");
      await boundClaim(kit, "n", { nfs: { server: "s", path: "/" } });
      await boundClaim(kit, "h", { hostPath: { path: "/x" } });
      const inline = { name: "i", csi: { driver: DRIVER } };
      const disk = { name: "d", azureDisk: { diskName: "d", diskURI: "https://x/d.vhd", kind: "Shared" } };
      const flex = { name: "f", flexVolume: { driver: "example.com/none" } };
      await podOn(kit, "p", {
        node: "a",
        claims: ["n", "h"],
        volumes: [inline, disk, flex, { name: "e", emptyDir: {} }],
      });
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
];

const ODDITIES: readonly Scenario[] = [
  {
    name: "attach-waits-for-the-claim",
    run: async (kit) => {
      await createNode(kit, "a");
      const claim = await createClaim(kit, "c");
      await createVolume(kit, "c", claim);
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await looked(kit);
      await bind(kit, "c");
      await attach(kit, ON_A);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-not-of-another-claim",
    run: async (kit) => {
      await createNode(kit, "a");
      const claim = await createClaim(kit, "c");
      const other = { ...claim, metadata: { ...claim.metadata, uid: "00000000-0000-0000-0000-000000000000" } };
      await createVolume(kit, "c", other);
      await bind(kit, "c");
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-ephemeral-claim-of-nobody",
    run: async (kit) => {
      await createNode(kit, "a");
      await boundClaim(kit, "p-e");
      const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
      await podOn(kit, "p", { node: "a", volumes: [{ name: "e", ephemeral: { volumeClaimTemplate: { spec } } }] });
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-no-such-node",
    run: async (kit) => {
      await boundClaim(kit, "c");
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-unknown-plugins-of-a-node",
    run: async (kit) => {
      await running(kit);
      const volumesAttached = [{ name: uniqueName(kit, "c"), devicePath: "" }, {
        name: "example.com/x/y",
        devicePath: "/z",
      }];
      await patchCluster(kit, NODES, "a", { status: { volumesAttached } }, "status");
      await boundClaim(kit, "d");
      await podOn(kit, "q", { node: "a", claims: ["d"] });
      await letAttach(kit, { volume: "d", node: "a" });
      await untilReported(kit, "a", ["c", "d"]);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-leaves-foreign-attachments-alone",
    run: async (kit) => {
      await createNode(kit, "a");
      await boundClaim(kit, "c");
      const source = { persistentVolumeName: clusterName(kit, "gone") };
      for (const [name, attacher] of [["x", "other.example.com"], ["y", DRIVER]]) {
        await kit.create(VOLUMEATTACHMENTS, {
          apiVersion: "storage.k8s.io/v1",
          kind: "VolumeAttachment",
          metadata: { name: clusterName(kit, name) },
          spec: { attacher, nodeName: clusterName(kit, "a"), source },
        });
      }
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await attach(kit, ON_A);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-takes-an-attachment-as-it-is",
    run: async (kit) => {
      await createNode(kit, "a");
      await boundClaim(kit, "c");
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await attach(kit, ON_A);
      await removeAtOnce(kit, "p");
      await letDetach(kit, ON_A);
      await podOn(kit, "q", { node: "a", claims: ["c"] });
      await attach(kit, ON_A);
      await untilSaid(kit, "q", "succeeded");
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-again-after-deletion-by-a-user",
    run: async (kit) => {
      await running(kit);
      await dropAttachment(kit, ON_A);
      await untilAttachment(kit, ON_A, (found) => found && !found.status?.attached);
      await attach(kit, ON_A);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-finalizers-forced-away",
    run: async (kit) => {
      await running(kit);
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await untilDetaching(kit, ON_A);
      await dropAttachment(kit, ON_A);
      await untilReported(kit, "a", []);
      await podOn(kit, "q", { node: "a", claims: ["c"] });
      await attach(kit, ON_A);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-volume-replaced-under-its-claim",
    run: async (kit) => {
      await running(kit);
      const { metadata } = await kit.get(PERSISTENTVOLUMECLAIMS, "c");
      await deleteCluster(kit, PERSISTENTVOLUMES, "c");
      await patchCluster(kit, PERSISTENTVOLUMES, "c", { metadata: { finalizers: null } }).catch(() => {});
      await createVolume(kit, "c", { metadata } as Parameters<typeof createVolume>[2]);
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await letDetach(kit, ON_A);
      await untilReported(kit, "a", []);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-node-made-anew",
    run: async (kit) => {
      await running(kit);
      await deleteCluster(kit, NODES, "a");
      await createNode(kit, "a");
      await untilReported(kit, "a", ["c"]);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-node-gone",
    run: async (kit) => {
      await running(kit);
      await setInUse(kit, "a", []);
      await deleteCluster(kit, NODES, "a");
      await removeAtOnce(kit, "p");
      await letDetach(kit, ON_A);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-driver-that-attaches-nothing",
    run: async (kit) => {
      const driver = clusterName(kit, "driver");
      await kit.create(CSIDRIVERS, {
        apiVersion: "storage.k8s.io/v1",
        kind: "CSIDriver",
        metadata: { name: driver },
        spec: { attachRequired: false },
      });
      await createNode(kit, "a");
      await boundClaim(kit, "c", { csi: { driver, volumeHandle: "h" } });
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await looked(kit);
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "attach-pod-waits-to-be-removed",
    run: async (kit) => {
      await running(kit);
      await kit.merge(PODS, "p", { metadata: { finalizers: ["example.com/x"] } });
      await endPod(kit, "p", "Failed");
      await kit.delete(PODS, "p");
      await setInUse(kit, "a", []);
      await letDetach(kit, ON_A);
      await noteAttachments(kit, ["a"]);
    },
  },
];

export const ATTACHMENT_SCENARIOS: readonly Scenario[] = [...MOVES, ...KINDS, ...ODDITIES];
