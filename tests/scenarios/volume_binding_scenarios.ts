/** Claims and volumes that are bound to each other, or are not. */
import { PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, PODS } from "../../src/api/mod.ts";
import {
  areBound,
  claimIs,
  lookedAt,
  makeClaim,
  makeClass,
  makeVolume,
  noteVolumes,
  ownClass,
  refTo,
  removeClaim,
  removeVolume,
  untilTold,
  volumeIs,
} from "./binding_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { clusterName, patchCluster, podWithClaims, removeAtOnce } from "./volume_kit.ts";

/** Of claims that ask for no class: only volumes of this scenario fit. */
function ownLabels(kit: Kit): { matchLabels: Record<string, string> } {
  return { matchLabels: { scenario: kit.namespace } };
}

/** The scenario's class, whose volumes wait for pods and are made by nobody. */
async function makePatientClass(kit: Kit): Promise<void> {
  await makeClass(kit, { provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "WaitForFirstConsumer" });
}

const NO_SUCH_CLAIM = "11111111-2222-4333-8444-555555555555";
const BOUND_BY_CONTROLLER = { "pv.kubernetes.io/bound-by-controller": "yes" };
const COMPLETED = { "pv.kubernetes.io/bind-completed": "yes" };

const MATCHING: readonly Scenario[] = [
  {
    name: "vb-binds-a-free-volume",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-too-small",
    run: async (kit) => {
      await makeVolume(kit, "v", { storageClassName: "", metadata: { labels: { scenario: kit.namespace } } });
      await makeClaim(kit, "a", { storageClassName: "", selector: ownLabels(kit), storage: "10Gi" });
      await kit.untilEvent("FailedBinding");
      await volumeIs(kit, "v", "Available");
      await claimIs(kit, "a", "Pending");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-smallest-wins",
    run: async (kit) => {
      for (const [name, storage] of [["big", "10Gi"], ["exact", "1Gi"], ["small", "1G"], ["middle", "1025Mi"]]) {
        await makeVolume(kit, name, { storage });
        await volumeIs(kit, name, "Available");
      }
      await makeClaim(kit, "a");
      await areBound(kit, "a", "exact");
      await noteVolumes(kit, "big", "exact", "small", "middle");
    },
  },
  {
    name: "vb-reserved-volume-wins",
    run: async (kit) => {
      await makeVolume(kit, "big", { storage: "10Gi", claimRef: refTo(kit, "a") });
      await makeVolume(kit, "free");
      for (const name of ["big", "free"]) await volumeIs(kit, name, "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "big");
      await noteVolumes(kit, "big", "free");
    },
  },
  {
    name: "vb-reserved-with-more-modes-loses",
    run: async (kit) => {
      await makeVolume(kit, "big", { accessModes: ["ReadWriteMany", "ReadWriteOnce"], claimRef: refTo(kit, "a") });
      await makeVolume(kit, "free");
      for (const name of ["big", "free"]) await volumeIs(kit, name, "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "free");
      await noteVolumes(kit, "big", "free");
    },
  },
  {
    name: "vb-fewest-modes-win",
    run: async (kit) => {
      await makeVolume(kit, "many", { accessModes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] });
      await makeVolume(kit, "two", { accessModes: ["ReadOnlyMany", "ReadWriteOnce"], storage: "5Gi" });
      await makeVolume(kit, "other", { accessModes: ["ReadWriteMany"] });
      for (const name of ["many", "two", "other"]) await volumeIs(kit, name, "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "two");
      await noteVolumes(kit, "many", "two", "other");
    },
  },
  {
    name: "vb-reserved-with-a-wrong-uid",
    run: async (kit) => {
      await makeVolume(kit, "v", {
        claimRef: refTo(kit, "a", NO_SUCH_CLAIM),
        storageClassName: "",
        metadata: { labels: { scenario: kit.namespace } },
      });
      await volumeIs(kit, "v", "Released");
      await makeClaim(kit, "a", { storageClassName: "", selector: ownLabels(kit) });
      await kit.untilEvent("FailedBinding");
      await claimIs(kit, "a", "Pending");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-selectors",
    run: async (kit) => {
      await makeVolume(kit, "red", { metadata: { labels: { colour: "red" } } });
      await makeVolume(kit, "blue", { metadata: { labels: { colour: "blue" } }, storage: "3Gi" });
      for (const name of ["red", "blue"]) await volumeIs(kit, name, "Available");
      await makeClaim(kit, "green", { selector: { matchLabels: { colour: "green" } } });
      await makeClaim(kit, "any", {
        selector: { matchExpressions: [{ key: "colour", operator: "NotIn", values: ["red"] }] },
      });
      await areBound(kit, "any", "blue");
      await kit.untilEvent("ProvisioningFailed");
      await noteVolumes(kit, "red", "blue");
    },
  },
  {
    name: "vb-blocks-and-file-systems",
    run: async (kit) => {
      await makeVolume(kit, "block", { volumeMode: "Block" });
      await makeVolume(kit, "files", { storage: "2Gi" });
      for (const name of ["block", "files"]) await volumeIs(kit, name, "Available");
      await makeClaim(kit, "a", { volumeMode: "Filesystem" });
      await makeClaim(kit, "b", { volumeMode: "Block" });
      await areBound(kit, "a", "files");
      await areBound(kit, "b", "block");
      await noteVolumes(kit, "block", "files");
    },
  },
  {
    name: "vb-deleted-volume-is-not-chosen",
    run: async (kit) => {
      await makeVolume(kit, "v", { metadata: { finalizers: ["example.com/x"] } });
      await volumeIs(kit, "v", "Available");
      await kit.client.delete(PERSISTENTVOLUMES, { name: clusterName(kit, "v") });
      await makeClaim(kit, "a");
      await kit.untilEvent("ProvisioningFailed");
      await lookedAt(kit);
      await patchCluster(kit, PERSISTENTVOLUMES, "v", { metadata: { finalizers: null } });
      await volumeIs(kit, "v", undefined);
    },
  },
  {
    name: "vb-absurd-sizes",
    run: async (kit) => {
      await makeVolume(kit, "huge", { storage: "7E" });
      await makeVolume(kit, "tiny", { storage: "1m" });
      for (const name of ["huge", "tiny"]) await volumeIs(kit, name, "Available");
      await makeClaim(kit, "large", { storage: "6999999999999999999" });
      await areBound(kit, "large", "huge");
      await makeClaim(kit, "small", { storage: "1m" });
      await areBound(kit, "small", "tiny");
      await noteVolumes(kit, "huge", "tiny");
    },
  },
  {
    name: "vb-class-by-annotation",
    run: async (kit) => {
      const annotations = { "volume.beta.kubernetes.io/storage-class": ownClass(kit) };
      await makeVolume(kit, "v", { metadata: { annotations }, storageClassName: "something-else" });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a", { metadata: { annotations }, storageClassName: undefined });
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-grown-before-it-was-bound",
    run: async (kit) => {
      const annotations = { "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi" };
      await makeVolume(kit, "v", { storage: "2Gi", metadata: { annotations } });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
];

const DELAYED: readonly Scenario[] = [
  {
    name: "vb-waits-for-a-consumer",
    run: async (kit) => {
      await makePatientClass(kit);
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await kit.untilEvent("WaitForFirstConsumer");
      await claimIs(kit, "a", "Pending");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-waits-for-pods-to-be-scheduled",
    run: async (kit) => {
      await makePatientClass(kit);
      for (const name of ["q", "p"]) await kit.create(PODS, podWithClaims(name, ["a"], { isScheduled: false }));
      await kit.create(PODS, podWithClaims("r", ["b"], { isScheduled: false }));
      await kit.create(PODS, podWithClaims("s", ["b"], { isScheduled: true }));
      await makeClaim(kit, "b");
      await kit.untilEvent("WaitForPodScheduled");
      for (const name of ["q", "p"]) await removeAtOnce(kit, name);
      await lookedAt(kit);
    },
  },
  {
    name: "vb-patient-claim-gets-its-reserved-volume",
    run: async (kit) => {
      await makePatientClass(kit);
      await makeVolume(kit, "v", { claimRef: refTo(kit, "a") });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
];

const NAMING: readonly Scenario[] = [
  {
    name: "vb-names-a-volume-to-come",
    run: async (kit) => {
      await makeClaim(kit, "a", { volumeName: clusterName(kit, "v") });
      await claimIs(kit, "a", "Pending");
      await lookedAt(kit);
      await makeVolume(kit, "v");
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-names-what-it-would-not-select",
    run: async (kit) => {
      await makeVolume(kit, "v", { metadata: { labels: { colour: "red" } } });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a", {
        volumeName: clusterName(kit, "v"),
        selector: { matchLabels: { colour: "blue" } },
      });
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-names-what-does-not-fit",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      const volumeName = clusterName(kit, "v");
      await makeClaim(kit, "large", { volumeName, storage: "2Gi" });
      await makeClaim(kit, "class", { volumeName, storageClassName: "another" });
      await makeClaim(kit, "block", { volumeName, volumeMode: "Block" });
      await makeClaim(kit, "modes", { volumeName, accessModes: ["ReadWriteOnce", "ReadWriteMany"] });
      for (const name of ["large", "class", "block", "modes"]) await claimIs(kit, name, "Pending");
      await lookedAt(kit);
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-names-a-volume-of-another",
    run: async (kit) => {
      await makeVolume(kit, "v", { claimRef: refTo(kit, "a") });
      await makeClaim(kit, "b", { volumeName: clusterName(kit, "v") });
      await kit.untilEvent("FailedBinding");
      await claimIs(kit, "b", "Pending");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-pointed-by-a-controller-to-a-volume-of-another",
    run: async (kit) => {
      await makeVolume(kit, "v", { claimRef: refTo(kit, "a") });
      await volumeIs(kit, "v", "Available");
      const volumeName = clusterName(kit, "v");
      await makeClaim(kit, "b", { volumeName, metadata: { annotations: BOUND_BY_CONTROLLER } });
      await kit.untilEvent("FailedBinding");
      await lookedAt(kit);
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-two-claims-name-one-volume",
    run: async (kit) => {
      const volumeName = clusterName(kit, "v");
      await makeClaim(kit, "a", { volumeName });
      await claimIs(kit, "a", "Pending");
      await makeVolume(kit, "v");
      await areBound(kit, "a", "v");
      await makeClaim(kit, "b", { volumeName });
      await kit.untilEvent("FailedBinding");
      await claimIs(kit, "b", "Pending");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-half-bound-by-somebody",
    run: async (kit) => {
      const { metadata } = await makeClaim(kit, "a", { storageClassName: clusterName(kit, "later") });
      await kit.untilEvent("ProvisioningFailed");
      await makeVolume(kit, "v", {
        claimRef: refTo(kit, "a", metadata!.uid),
        storageClassName: clusterName(kit, "later"),
        metadata: { annotations: BOUND_BY_CONTROLLER },
      });
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
];

const LOST: readonly Scenario[] = [
  {
    name: "vb-volume-is-taken-away",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await removeVolume(kit, "v");
      await claimIs(kit, "a", "Lost");
      await kit.untilEvent("ClaimLost");
      const { metadata } = await kit.get(PERSISTENTVOLUMECLAIMS, "a");
      await makeVolume(kit, "v", { claimRef: refTo(kit, "a", metadata!.uid) });
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-bound-to-nothing",
    run: async (kit) => {
      await makeClaim(kit, "a", { metadata: { annotations: COMPLETED } });
      await makeClaim(kit, "b", { metadata: { annotations: COMPLETED }, volumeName: clusterName(kit, "gone") });
      for (const name of ["a", "b"]) await claimIs(kit, name, "Lost");
    },
  },
  {
    name: "vb-two-claims-say-they-are-bound",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await makeClaim(kit, "b", { metadata: { annotations: COMPLETED }, volumeName: clusterName(kit, "v") });
      await claimIs(kit, "b", "Lost");
      await kit.untilEvent("ClaimMisbound");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-says-it-is-bound-to-a-free-volume",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a", { metadata: { annotations: COMPLETED }, volumeName: clusterName(kit, "v") });
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-reference-is-taken-away",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await patchCluster(kit, PERSISTENTVOLUMES, "v", { spec: { claimRef: null } });
      await kit.until(PERSISTENTVOLUMECLAIMS, "a", "is referred to again", async () => {
        const { spec } = await kit.client.get(PERSISTENTVOLUMES, { name: clusterName(kit, "v") });
        return spec?.claimRef?.uid;
      });
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
];

const FREED: readonly Scenario[] = [
  {
    name: "vb-retained",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await removeClaim(kit, "a");
      await volumeIs(kit, "v", "Released");
      await makeClaim(kit, "a");
      await kit.untilEvent("ProvisioningFailed");
      await lookedAt(kit);
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-retained-and-given-to-another",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await removeClaim(kit, "a");
      await volumeIs(kit, "v", "Released");
      await patchCluster(kit, PERSISTENTVOLUMES, "v", { spec: { claimRef: null } });
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "b");
      await areBound(kit, "b", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-released-reference-loses-its-uid",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await removeClaim(kit, "a");
      await volumeIs(kit, "v", "Released");
      await makeClaim(kit, "a");
      await kit.untilEvent("ProvisioningFailed");
      await patchCluster(kit, PERSISTENTVOLUMES, "v", { spec: { claimRef: { uid: null } } });
      await areBound(kit, "a", "v");
      await noteVolumes(kit, "v");
    },
  },
  {
    name: "vb-superfluous-volume-is-freed",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      const { metadata } = await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      const claimRef = refTo(kit, "a", metadata!.uid);
      await makeVolume(kit, "ours", { claimRef, metadata: { annotations: BOUND_BY_CONTROLLER } });
      await makeVolume(kit, "users", { claimRef });
      for (const name of ["ours", "users"]) await volumeIs(kit, name, "Available");
      await noteVolumes(kit, "v", "ours", "users");
    },
  },
  {
    name: "vb-superfluous-volume-that-was-made-for-it-is-released",
    run: async (kit) => {
      await makeVolume(kit, "v");
      await volumeIs(kit, "v", "Available");
      const { metadata } = await makeClaim(kit, "a");
      await areBound(kit, "a", "v");
      await makeVolume(kit, "second", {
        claimRef: refTo(kit, "a", metadata!.uid),
        persistentVolumeReclaimPolicy: "Delete",
        metadata: { annotations: { ...BOUND_BY_CONTROLLER, "pv.kubernetes.io/provisioned-by": "csi.example.com" } },
      });
      await volumeIs(kit, "second", "Released");
      await noteVolumes(kit, "v", "second");
    },
  },
  {
    name: "vb-refers-to-a-claim-of-another-mode",
    run: async (kit) => {
      const { metadata } = await makeClaim(kit, "a");
      await kit.untilEvent("ProvisioningFailed");
      await makeVolume(kit, "v", { volumeMode: "Block", claimRef: refTo(kit, "a", metadata!.uid) });
      await untilTold(kit, "v", "VolumeMismatch");
      await kit.untilEvent("VolumeMismatch");
      await lookedAt(kit);
      await noteVolumes(kit, "v");
    },
  },
];

export const VOLUME_BINDING_SCENARIOS: readonly Scenario[] = [...MATCHING, ...DELAYED, ...NAMING, ...LOST, ...FREED];
