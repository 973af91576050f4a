/** What scenarios of volumes that are attached begin with: nodes that nobody runs, claims with volumes, attachers played by hand. */
import {
  CONFIGMAPS,
  type Node,
  NODES,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type PersistentVolumeSpec,
  type Pod,
  PODS,
  type VolumeAttachment,
  VOLUMEATTACHMENTS,
} from "../../src/api/mod.ts";
import { attachmentName } from "../../src/controllers/volumes/mod.ts";
import type { Kit } from "./kit.ts";
import { CLAIM_SPEC, clusterName, findCluster, idlePod, patchCluster, storageVolume } from "./volume_kit.ts";

export const DRIVER = "csi.example.com";
/** What attachers keep their objects with. */
const KEEPER = "external-attacher/csi-example-com";
const MANAGED = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
const OUT_OF_SERVICE = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };

export interface NodeParts {
  readonly isManaged?: boolean;
  readonly isReady?: boolean;
}

/** A node whose kubelet is the scenario. */
export async function createNode(kit: Kit, name: string, { isManaged = true, isReady = true }: NodeParts = {}) {
  const annotations = isManaged ? MANAGED : undefined;
  const taints = [{ key: "example.com/idle", effect: "NoSchedule" }];
  await kit.create(NODES, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: clusterName(kit, name), annotations },
    spec: { taints },
  });
  await setReady(kit, name, isReady);
}

export async function setReady(kit: Kit, name: string, isReady: boolean, message = ""): Promise<void> {
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False", reason: "X", message }];
  await patchCluster(kit, NODES, name, { status: { conditions } }, "status");
}

export async function takeOutOfService(kit: Kit, name: string): Promise<void> {
  await patchCluster(kit, NODES, name, { spec: { taints: [OUT_OF_SERVICE] } });
}

/** The handle of a volume, which all drivers know it by. */
export function handleOf(kit: Kit, volume: string): string {
  return clusterName(kit, volume);
}

/** What the cluster calls a volume of the driver. */
export function uniqueName(kit: Kit, volume: string): string {
  return `kubernetes.io/csi/${DRIVER}^${handleOf(kit, volume)}`;
}

/** Lets a kubelet say which volumes it uses: those of the driver by their names here, others by their own. */
export async function setInUse(kit: Kit, node: string, volumes: readonly string[]): Promise<void> {
  const volumesInUse = volumes.map((volume) => volume.includes("/") ? volume : uniqueName(kit, volume));
  await patchCluster(kit, NODES, node, { status: { volumesInUse } }, "status");
}

/** A claim, and the volume that it is bound to; both bear the name. */
export async function boundClaim(kit: Kit, name: string, spec: Partial<PersistentVolumeSpec> = {}): Promise<void> {
  const claim = await createClaim(kit, name, spec);
  await createVolume(kit, name, claim, spec);
  await bind(kit, name);
}

export async function createClaim(
  kit: Kit,
  name: string,
  { accessModes = ["ReadWriteOnce"] }: Partial<PersistentVolumeSpec> = {},
): Promise<PersistentVolumeClaim> {
  return await kit.create(PERSISTENTVOLUMECLAIMS, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { ...CLAIM_SPEC, accessModes, volumeName: clusterName(kit, name) },
  });
}

export async function createVolume(
  kit: Kit,
  name: string,
  { metadata }: PersistentVolumeClaim,
  spec: Partial<PersistentVolumeSpec> = {},
): Promise<void> {
  const claimRef = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: kit.namespace,
    name: metadata?.name,
    uid: metadata?.uid,
  };
  const hasSource = Object.keys(spec).some((field) => !["accessModes", "claimRef"].includes(field));
  const csi = hasSource ? undefined : { driver: DRIVER, volumeHandle: handleOf(kit, name) };
  await kit.create(PERSISTENTVOLUMES, storageVolume(kit, name, { storageClassName: "", csi, claimRef, ...spec }));
}

/** Lets a claim be bound. */
export async function bind(kit: Kit, name: string): Promise<void> {
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { status: { phase: "Bound" } }, "status");
}

/** A pod on a node that uses claims; nobody runs it. */
export function podOn(
  kit: Kit,
  name: string,
  { node, claims = [], volumes = [] }: {
    readonly node: string;
    readonly claims?: readonly string[];
    readonly volumes?: NonNullable<Pod["spec"]>["volumes"];
  },
): Promise<Pod> {
  const claimed = claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } }));
  return kit.create(
    PODS,
    idlePod(name, { spec: { nodeName: clusterName(kit, node), volumes: [...claimed, ...volumes] } }),
  );
}

/** A volume on a node, by their names here. */
export interface Place {
  readonly volume: string;
  readonly node: string;
  /** Default {@link DRIVER}. */
  readonly driver?: string;
  /** Default {@link handleOf}. */
  readonly handle?: string;
}

export function attachmentOf(
  kit: Kit,
  { volume, node, driver = DRIVER, handle = handleOf(kit, volume) }: Place,
): string {
  return attachmentName({ volumeHandle: handle, driver, nodeName: clusterName(kit, node) });
}

async function find(kit: Kit, name: string): Promise<VolumeAttachment | undefined> {
  const { items } = await kit.client.list(VOLUMEATTACHMENTS, { fieldSelector: `metadata.name=${name}` });
  return items[0];
}

/** Waits until something is true of a VolumeAttachment, which is not there yet maybe. */
export async function untilAttachment(
  kit: Kit,
  place: Place,
  holds: (attachment: VolumeAttachment | undefined) => unknown = Boolean,
): Promise<void> {
  const name = attachmentOf(kit, place);
  await kit.untilAll(
    CONFIGMAPS,
    `the attachment of ${place.volume} to ${place.node} is as it should be`,
    async () => holds(await find(kit, name)),
  );
}

async function patchAttachment(kit: Kit, place: Place, body: unknown, subresource?: string): Promise<void> {
  await kit.client.patch(VOLUMEATTACHMENTS, { name: attachmentOf(kit, place) }, { type: "merge", body, subresource });
}

/** Plays the attacher: attaches as it is asked to. */
export async function letAttach(kit: Kit, place: Place): Promise<void> {
  await untilAttachment(kit, place, (found) => found && !found.metadata?.deletionTimestamp);
  await patchAttachment(kit, place, { metadata: { finalizers: [KEEPER] } });
  await patchAttachment(kit, place, { status: { attached: true, attachError: null } }, "status");
}

/** Plays the attacher: says why it cannot attach. */
export async function failToAttach(kit: Kit, place: Place, message: string): Promise<void> {
  await untilAttachment(kit, place);
  await patchAttachment(kit, place, { metadata: { finalizers: [KEEPER] } });
  await patchAttachment(kit, place, { status: { attached: false, attachError: { message } } }, "status");
}

/** Plays the attacher: says why it cannot detach. */
export async function failToDetach(kit: Kit, place: Place, message: string): Promise<void> {
  await untilDetaching(kit, place);
  await patchAttachment(kit, place, { status: { detachError: { message } } }, "status");
}

/** Waits until an attacher is asked to detach. */
export function untilDetaching(kit: Kit, place: Place): Promise<void> {
  return untilAttachment(kit, place, (found) => found?.metadata?.deletionTimestamp);
}

/** Plays the attacher: detaches as it is asked to. */
export async function letDetach(kit: Kit, place: Place): Promise<void> {
  await untilDetaching(kit, place);
  await patchAttachment(kit, place, { metadata: { finalizers: null } });
  await untilAttachment(kit, place, (found) => !found);
}

/** Takes a VolumeAttachment away, whatever keeps it. */
export async function dropAttachment(kit: Kit, place: Place): Promise<void> {
  const name = attachmentOf(kit, place);
  await patchAttachment(kit, place, { metadata: { finalizers: null } });
  if (await find(kit, name)) await kit.client.delete(VOLUMEATTACHMENTS, { name });
}

/** Waits until a kubelet is told of these volumes, and of no others. */
export async function untilReported(kit: Kit, node: string, volumes: readonly string[]): Promise<void> {
  const wanted = volumes.map((volume) => volume.includes("/") ? volume : uniqueName(kit, volume)).sort().join();
  await kit.untilAll(CONFIGMAPS, `${node} is told of ${wanted || "nothing"}`, async () => {
    const { status } = await findCluster(kit, NODES, node) ?? {};
    return (status?.volumesAttached ?? []).map(({ name }) => name).sort().join() === wanted;
  });
}

/** Attaches a volume for a pod, from the first to the last step. */
export async function attach(kit: Kit, place: Place): Promise<void> {
  await letAttach(kit, place);
  await untilReported(kit, place.node, [place.volume]);
}

/** Waits until the manager has looked at what came before: it attaches another volume on another node. */
export async function looked(kit: Kit): Promise<void> {
  await createNode(kit, "last");
  await boundClaim(kit, "last");
  await podOn(kit, "last", { node: "last", claims: ["last"] });
  await attach(kit, { volume: "last", node: "last" });
}

/** Writes down in the namespace what nodes are told, and what attachers are asked for. */
export async function noteAttachments(kit: Kit, nodes: readonly string[]): Promise<void> {
  const plain = (value: unknown) => JSON.stringify(value ?? null).replaceAll(kit.namespace, "<scenario>");
  // Other controllers write into nodes, too.
  const ownedBy = ({ kind, metadata }: Pick<Node, "kind" | "metadata">) =>
    metadata?.managedFields?.filter(({ manager }) => manager === "kube-controller-manager")
      .filter(({ fieldsV1 }) => kind !== "Node" || JSON.stringify(fieldsV1).includes("volumesAttached"))
      .map(({ operation, subresource, fieldsV1 }) => ({ operation, subresource, fieldsV1 }));
  const { items } = await kit.client.list(VOLUMEATTACHMENTS, {});
  for (const node of nodes) {
    const found = await findCluster(kit, NODES, node);
    const attached = found?.status?.volumesAttached?.toSorted((a, b) => a.name < b.name ? -1 : 1);
    const asked = items.filter(({ spec }) => spec.nodeName === clusterName(kit, node))
      .map((attachment) => ({
        spec: attachment.spec,
        finalizers: attachment.metadata?.finalizers,
        labels: attachment.metadata?.labels,
        owners: attachment.metadata?.ownerReferences,
        isDeleted: attachment.metadata?.deletionTimestamp !== undefined,
        status: attachment.status?.attached,
        owned: ownedBy(attachment),
      })).sort((a, b) => plain(a.spec.source) < plain(b.spec.source) ? -1 : 1);
    // Other controllers own something of the rest.
    const owned = found ? plain(ownedBy(found)?.filter(({ subresource }) => subresource === "status")) : "gone";
    const data = { told: plain(attached), owned, asked: plain(asked) };
    await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `note-${node}` }, data });
  }
}
