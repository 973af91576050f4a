import {
  type AttachedVolume,
  NODES,
  type PersistentVolume,
  type VolumeAttachment,
  VOLUMEATTACHMENTS,
} from "../../api/mod.ts";
import { type Client, isAlreadyExists, isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";

/** The client for all writes. */
export interface Writing {
  readonly client: Pick<Client, "get" | "create" | "patch" | "deleteAndRead">;
  readonly signal: AbortSignal;
}

/** The content of a VolumeAttachment. */
export interface NewAttachment {
  readonly name: string;
  readonly driver: string;
  readonly nodeName: string;
  readonly persistentVolume: PersistentVolume;
  /** Whether there is no PersistentVolume of this name: a pod describes it. */
  readonly isInline: boolean;
}

/** Asks a driver's attacher to attach a volume. An existing request is fine. */
export async function createAttachment(
  { name, driver, nodeName, persistentVolume, isInline }: NewAttachment,
  { client, signal }: Writing,
): Promise<void> {
  const source = isInline
    ? { inlineVolumeSpec: persistentVolume.spec }
    : { persistentVolumeName: persistentVolume.metadata?.name };
  try {
    await client.create(VOLUMEATTACHMENTS, { metadata: { name }, spec: { attacher: driver, nodeName, source } }, {
      signal,
    });
  } catch (error) {
    if (!serverSays(error, isAlreadyExists)) throw error;
  }
}

/** @returns Whether it lingers, until its attacher has detached the volume. */
export async function deleteAttachment(name: string, { client, signal }: Writing): Promise<"gone" | "lingers"> {
  try {
    const answer = await client.deleteAndRead(VOLUMEATTACHMENTS, { name }, { signal });
    return answer.metadata?.deletionTimestamp ? "lingers" : "gone";
  } catch (error) {
    if (serverSays(error, isNotFound)) return "gone";
    throw error;
  }
}

/** @returns `undefined` if there is none of this name. */
export async function readAttachment(name: string, { client, signal }: Writing): Promise<VolumeAttachment | undefined> {
  try {
    return await client.get(VOLUMEATTACHMENTS, { name }, { signal });
  } catch (error) {
    if (serverSays(error, isNotFound)) return undefined;
    throw error;
  }
}

/** The volumes that a node's kubelet uses now; none if there is no such node. */
export async function readVolumesInUse(name: string, { client, signal }: Writing): Promise<readonly string[]> {
  try {
    const { status } = await client.get(NODES, { name }, { signal });
    return status?.volumesInUse ?? [];
  } catch (error) {
    if (serverSays(error, isNotFound)) return [];
    throw error;
  }
}

/** Tells a kubelet which volumes are attached, all of them; does nothing if the node is gone. */
export async function writeVolumesAttached(
  name: string,
  volumes: readonly AttachedVolume[],
  { client, signal }: Writing,
): Promise<void> {
  const body = { status: { volumesAttached: volumes.length > 0 ? volumes : null } };
  try {
    await client.patch(NODES, { name }, { type: "strategic", subresource: "status", body, signal });
  } catch (error) {
    if (!serverSays(error, isNotFound)) throw error;
  }
}
