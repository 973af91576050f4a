import {
  CSINODES,
  formatTime,
  type PersistentVolume,
  PERSISTENTVOLUMES,
  type VolumeAttachment,
  VOLUMEATTACHMENTS,
} from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { isNotFound, type ObjectRef } from "../../client/mod.ts";
import { attachmentsOf, changeFinalizer, scriptOfVolume, type StorageContext } from "./context.ts";

const NODE_ID = "csi.alpha.kubernetes.io/node-id";
const RETRY_MS = 1000;

/**
 * The finalizer of a driver's attacher, on attachments and volumes. Upstream: `external-attacher/pkg/controller`
 * (GetFinalizerName).
 */
function attacherFinalizer(driver: string): string {
  const name = driver.replaceAll(/[^A-Za-z0-9-]/g, "-");
  return `external-attacher/${name.endsWith("-") ? `${name}X` : name}`;
}

/**
 * Attaches a volume to a node, or detaches it, as one of this driver's attachments says.
 * Upstream: `external-attacher/pkg/controller/csi_handler.go`.
 *
 * @returns When to check again, in milliseconds; `undefined` to wait for a change.
 */
export async function followAttachment(ref: ObjectRef, context: StorageContext): Promise<number | undefined> {
  const attachment = context.attachments.get(undefined, ref.name);
  if (attachment?.spec.attacher !== context.driver) return undefined;
  try {
    return await (attachment.metadata?.deletionTimestamp ? detach : attach)(attachment, context);
  } catch (error) {
    if (isNotFound(error)) return undefined; // it is gone
    throw error;
  }
}

/** Releases a volume that is being deleted and is not attached anywhere. */
export async function releaseVolume(ref: ObjectRef, context: StorageContext): Promise<undefined> {
  const volume = context.volumes.get(undefined, ref.name);
  const finalizer = attacherFinalizer(context.driver);
  const { deletionTimestamp, finalizers } = volume?.metadata ?? {};
  if (!volume || !deletionTimestamp || !finalizers?.includes(finalizer)) return;
  if (attachmentsOf(ref.name, context).length > 0) return;
  try {
    await changeFinalizer(PERSISTENTVOLUMES, volume, { remove: finalizer }, context);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function attach(attachment: VolumeAttachment, context: StorageContext): Promise<number | undefined> {
  if (attachment.status?.attached) return undefined;
  const volume = volumeOf(attachment, context);
  const why = objectionTo(attachment, volume);
  if (why) return await failed("attachError", attachment, { why, againMs: RETRY_MS }, context);
  const finalizer = attacherFinalizer(context.driver);
  if (volume && !volume.metadata?.finalizers?.includes(finalizer)) {
    await changeFinalizer(PERSISTENTVOLUMES, volume, { add: finalizer }, context);
  }
  const nodeId = await nodeIdOf(attachment, context);
  if ("why" in nodeId) return await failed("attachError", attachment, { ...nodeId, againMs: RETRY_MS }, context);
  const { metadata } = attachment;
  const { uid = "", name = "" } = metadata ?? {};
  const { client, operations, signal } = context;
  if (!metadata?.finalizers?.includes(finalizer) || metadata.annotations?.[NODE_ID] !== nodeId.id) {
    const body = { metadata: { uid, finalizers: [finalizer], annotations: { [NODE_ID]: nodeId.id } } };
    await client.patchMetadata(VOLUMEATTACHMENTS, { name }, { type: "strategic", body, signal });
  }
  const { outcome, againMs } = operations.look("attach", uid, scriptOfVolume("attach", volume, context).outcomes);
  if (!outcome) return againMs;
  if (outcome.result !== "ok") {
    return await failed("attachError", attachment, { why: outcome.message, againMs }, context);
  }
  const body = { metadata: { uid }, status: { attached: true, attachError: null } };
  await client.patchMetadata(VOLUMEATTACHMENTS, { name }, { type: "merge", body, subresource: "status", signal });
  return undefined;
}

async function detach(attachment: VolumeAttachment, context: StorageContext): Promise<number | undefined> {
  const { uid = "", name = "", finalizers } = attachment.metadata ?? {};
  const finalizer = attacherFinalizer(context.driver);
  if (!finalizers?.includes(finalizer)) return undefined;
  const { client, operations, signal } = context;
  const script = scriptOfVolume("detach", volumeOf(attachment, context), context);
  const { outcome, againMs } = operations.look("detach", uid, script.outcomes);
  if (!outcome) return againMs;
  if (outcome.result !== "ok") {
    return await failed("detachError", attachment, { why: outcome.message, againMs }, context);
  }
  const body = { metadata: { uid }, status: { attached: false, detachError: null, attachmentMetadata: null } };
  await client.patchMetadata(VOLUMEATTACHMENTS, { name }, { type: "merge", body, subresource: "status", signal });
  await changeFinalizer(VOLUMEATTACHMENTS, attachment, { remove: finalizer }, context);
  return undefined;
}

function volumeOf({ spec }: VolumeAttachment, { volumes }: StorageContext): PersistentVolume | undefined {
  return volumes.get(undefined, spec.source.persistentVolumeName ?? "");
}

/** Why the volume cannot be attached. */
function objectionTo({ spec }: VolumeAttachment, volume: PersistentVolume | undefined): string | undefined {
  const { persistentVolumeName, inlineVolumeSpec } = spec.source;
  if (inlineVolumeSpec) return undefined;
  const quoted = JSON.stringify(persistentVolumeName);
  if (!volume) return `persistentvolume ${quoted} not found`;
  return volume.metadata?.deletionTimestamp ? `PersistentVolume ${quoted} is marked for deletion` : undefined;
}

/** The driver's name for a node. */
async function nodeIdOf(
  { spec: { nodeName } }: VolumeAttachment,
  { client, driver, signal }: StorageContext,
): Promise<{ readonly id: string } | { readonly why: string }> {
  try {
    const { spec } = await client.get(CSINODES, { name: nodeName }, { signal });
    const drivers: typeof spec.drivers | null = spec.drivers; // an empty list is written as null
    const found = drivers?.find(({ name }) => name === driver);
    return found ? { id: found.nodeID } : { why: `CSINode ${nodeName} does not contain driver ${driver}` };
  } catch (error) {
    if (isNotFound(error)) return { why: errorText(error) };
    throw error;
  }
}

async function failed(
  field: "attachError" | "detachError",
  { metadata }: VolumeAttachment,
  { why, againMs }: { readonly why: string; readonly againMs?: number },
  { client, world, signal }: StorageContext,
): Promise<number | undefined> {
  const { uid, name = "" } = metadata ?? {};
  const error = { message: why, time: formatTime(world.clock.wallMs()) };
  const body = { metadata: { uid }, status: { [field]: error } };
  await client.patchMetadata(VOLUMEATTACHMENTS, { name }, { type: "merge", body, subresource: "status", signal });
  return againMs;
}
