import type { PersistentVolumeClaim, Quantity } from "../../api/mod.ts";

type Condition = NonNullable<NonNullable<PersistentVolumeClaim["status"]>["conditions"]>[number];

/** The annotation of a claim with its resizer. */
const RESIZER = "volume.kubernetes.io/storage-resizer";

/** Conditions that are about resizes. */
const OF_RESIZES: readonly string[] = [
  "Resizing",
  "FileSystemResizePending",
  "ControllerResizeError",
  "NodeResizeError",
];

const FILE_SYSTEM_PENDING = {
  type: "FileSystemResizePending",
  message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
};

/** The strategic merge patch of a claim, its status included. Upstream: `pkg/volume/util/resize_util.go`. */
export interface ClaimPatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string>> };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Names the claim's resizer. */
export function resizerPatch(resizer: string): ClaimPatch {
  return { metadata: { annotations: { [RESIZER]: resizer } } };
}

/** A resize to `size` is being worked on. */
export function inProgress(
  claim: PersistentVolumeClaim,
  { size, resizer, now }: { readonly size: Quantity; readonly resizer: string; readonly now: string },
): ClaimPatch {
  return {
    ...resizerPatch(resizer),
    status: {
      ...conditionsPatch(claim, { said: { type: "Resizing" }, keepsOthers: false, now }),
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
      allocatedResources: { storage: size.toString() },
    },
  };
}

/** The rest is left to the node. */
export function pendingOnNode(claim: PersistentVolumeClaim, now: string): ClaimPatch {
  return {
    status: {
      ...conditionsPatch(claim, { said: FILE_SYSTEM_PENDING, keepsOthers: true, now }),
      allocatedResourceStatuses: { storage: "NodeResizePending" },
    },
  };
}

/** The claim has its requested size. */
export function finished(claim: PersistentVolumeClaim, { size, now }: { size: Quantity; now: string }): ClaimPatch {
  const statuses = Object.keys(claim.status?.allocatedResourceStatuses ?? {});
  const isLast = statuses.every((name) => name === "storage");
  return {
    status: {
      ...conditionsPatch(claim, { keepsOthers: false, now }),
      capacity: { storage: size.toString() },
      allocatedResourceStatuses: isLast ? null : { storage: null },
    },
  };
}

interface ResizeConditions {
  /** The condition to set. */
  readonly said?: { readonly type: string; readonly message?: string };
  /** Whether other conditions about resizes stay. */
  readonly keepsOthers: boolean;
  readonly now: string;
}

/** Only the changes; existing conditions stay. Upstream: MergeResizeConditionOnPVC. */
function conditionsPatch({ status }: PersistentVolumeClaim, { said, keepsOthers, now }: ResizeConditions): object {
  const old = status?.conditions ?? [];
  const dropped = keepsOthers ? [] : old.filter(({ type }) => OF_RESIZES.includes(type) && type !== said?.type);
  const isSaid = old.some(({ type, status }) => type === said?.type && status === "True");
  const changed: readonly Condition[] = said && !isSaid ? [{ ...said, status: "True", lastTransitionTime: now }] : [];
  if (dropped.length + changed.length === 0) return {};
  const kept = old.filter((condition) => !dropped.includes(condition)).map(({ type }) => type);
  const order = [...new Set([...kept, ...changed.map(({ type }) => type)])];
  return {
    conditions: [...changed, ...dropped.map(({ type }) => ({ $patch: "delete", type }))],
    "$setElementOrder/conditions": order.map((type) => ({ type })),
  };
}
