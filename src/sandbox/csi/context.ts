import type {
  KubeObject,
  PersistentVolume,
  PersistentVolumeClaim,
  Resource,
  StorageClass,
  VolumeAttachment,
} from "../../api/mod.ts";
import { referenceTo } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { ensureIndexer, type Indexable, type Indexer, type Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { PlainEvents } from "../common/mod.ts";
import type { Operations } from "./operations.ts";
import { type Operation, type Script, scriptOf } from "./outcomes.ts";

/** The caches and clients of a driver's parts. */
export interface StorageContext {
  readonly world: World;
  readonly client: Client;
  /** The driver's name. */
  readonly driver: string;
  readonly operations: Operations;
  readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
  readonly volumes: Pick<Lister<PersistentVolume>, "get">;
  readonly classes: Pick<Lister<StorageClass>, "get">;
  readonly attachments: Pick<Lister<VolumeAttachment>, "get">;
  /** Indexed by {@link indexAttachments}. */
  readonly attachmentIndex: Pick<Indexer<VolumeAttachment>, "byIndex">;
  /** No events are written if absent. */
  readonly events?: PlainEvents;
  readonly signal: AbortSignal;
}

const BY_VOLUME = "persistentVolumeName";

export function indexAttachments(attachments: Indexable<VolumeAttachment>): void {
  ensureIndexer(attachments, BY_VOLUME, ({ spec }) => {
    const { persistentVolumeName } = spec?.source ?? {};
    return persistentVolumeName ? [persistentVolumeName] : [];
  });
}

export function attachmentsOf(volume: string, { attachmentIndex }: StorageContext): readonly VolumeAttachment[] {
  return attachmentIndex.byIndex(BY_VOLUME, volume);
}

/** Records an event about an object, if events are on. */
export function tell(
  about: readonly [KubeObject, Resource],
  event: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string },
  { events }: StorageContext,
): void {
  events?.tell({ about: referenceTo(...about), ...event });
}

/** The script of an operation on a volume, from the annotations of the volume, its claim and its class. */
export function scriptOfVolume(
  operation: Operation,
  volume: PersistentVolume | undefined,
  { claims, classes }: StorageContext,
): Script {
  const { claimRef, storageClassName = "" } = volume?.spec ?? {};
  const claim = claimRef && claims.get(claimRef.namespace, claimRef.name ?? "");
  const isOurs = claim?.metadata?.uid === claimRef?.uid;
  return scriptOf(operation, [volume, isOurs ? claim : undefined, classes.get(undefined, storageClassName)]);
}

/** Removes or adds a finalizer; concurrent changes of other finalizers are kept. */
export async function changeFinalizer(
  resource: Resource,
  { metadata }: KubeObject,
  change: { readonly add: string } | { readonly remove: string },
  { client, signal }: StorageContext,
): Promise<void> {
  const finalizers = "add" in change
    ? { finalizers: [change.add] }
    : { "$deleteFromPrimitiveList/finalizers": [change.remove] };
  const body = { metadata: { uid: metadata?.uid, ...finalizers } };
  await client.patchMetadata(resource, { name: metadata?.name ?? "" }, { type: "strategic", body, signal });
}
