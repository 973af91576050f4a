import { type PersistentVolume, type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS, Quantity } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";

type Conditions = NonNullable<NonNullable<PersistentVolumeClaim["status"]>["conditions"]>;

/** An annotation with a volume's size before a resize whose part on the node is pending. */
export const SIZE_BEFORE = "volume.alpha.kubernetes.io/pre-resize-capacity";

const OF_RESIZE: readonly string[] = [
  "Resizing",
  "FileSystemResizePending",
  "ControllerResizeError",
  "NodeResizeError",
];

export function requestedSize({ spec }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(spec?.resources?.requests?.storage);
}

export function claimedSize({ status }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(status?.capacity?.storage);
}

export function volumeSize({ spec }: PersistentVolume): Quantity {
  return Quantity.parse(spec?.capacity?.storage);
}

/** The size that the current or last resize is for. */
export function allocatedSize({ status }: PersistentVolumeClaim): Quantity | undefined {
  const storage = status?.allocatedResources?.storage;
  return storage === undefined ? undefined : Quantity.parse(storage);
}

/** The state of a resize; `undefined` if there is none. */
export function resizeStatus({ status }: PersistentVolumeClaim): string | undefined {
  return status?.allocatedResourceStatuses?.storage;
}

/** A claim's conditions with those of a resize replaced. */
export function resizeConditions(
  { status }: PersistentVolumeClaim,
  said: { readonly type: string; readonly message?: string } | undefined,
  lastTransitionTime: string,
): Conditions {
  const old = status?.conditions ?? [];
  const kept = old.filter(({ type, status }) => !OF_RESIZE.includes(type) || type === said?.type && status === "True");
  if (!said || kept.some(({ type }) => type === said.type)) return kept;
  return [...kept, { ...said, status: "True", lastTransitionTime }];
}

/**
 * The statuses of a claim's resources without that of a resize; `null`, which clears them in a patch, if none remain.
 */
export function statusesWithoutResize({ status }: PersistentVolumeClaim): Record<string, string | null> | null {
  const others = Object.keys(status?.allocatedResourceStatuses ?? {}).filter((name) => name !== "storage");
  return others.length > 0 ? { storage: null } : null;
}

/** @throws {StatusError} Conflict if the claim has changed, NotFound if it is gone. */
export async function writeClaimStatus(
  { metadata }: PersistentVolumeClaim,
  status: object,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<PersistentVolumeClaim> {
  const { namespace, name = "", resourceVersion } = metadata ?? {};
  const body = { metadata: { resourceVersion }, status };
  const patch = { type: "merge", body, subresource: "status", signal } as const;
  return await client.patch(PERSISTENTVOLUMECLAIMS, { namespace, name }, patch);
}
