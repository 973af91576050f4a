import type { PersistentVolumeClaim, Quantity } from "../../api/mod.ts";
import type { BoundClaim } from "./context.ts";
import { allocatedSize, claimedSize, requestedSize, SIZE_BEFORE, volumeSize } from "./sizes.ts";

/** What is to be done about a volume that is expanded from here. */
export type ResizeStep =
  | { readonly kind: "none" }
  /** All is done: the volume need not say any more how large it was. */
  | { readonly kind: "forget size before" }
  /** The node is to try again. */
  | { readonly kind: "leave to node" }
  | { readonly kind: "expand"; readonly size: Quantity };

/** Resizes that go on to the size that they were begun for. */
const BEGUN: readonly (string | undefined)[] = [
  "ControllerResizeInProgress",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
];

/**
 * What comes next, as claim and volume stand.
 * Upstream: `pkg/volume/util/operationexecutor/operation_generator.go` (expandAndRecoverFunction), `expand_controller.go` (expand).
 */
export function resizeStep({ claim, volume }: BoundClaim): ResizeStep {
  const requested = requestedSize(claim);
  const claimed = claimedSize(claim);
  const isDone = claimed.compare(requested) >= 0 && claimed.compare(volumeSize(volume)) >= 0;
  const isNoted = volume.metadata?.annotations?.[SIZE_BEFORE] !== undefined;
  if (isDone && isNoted) return { kind: "forget size before" };
  const begun = allocatedSize(claim) ?? requested;
  const status = resizeStatus(claim);
  if (volumeSize(volume).compare(requested) < 0) {
    return { kind: "expand", size: BEGUN.includes(status) ? begun : requested };
  }
  switch (status) {
    case "NodeResizeInProgress":
    case "NodeResizePending":
      return { kind: "none" };
    case "NodeResizeInfeasible":
      return { kind: "leave to node" };
    case "ControllerResizeInProgress":
    case "ControllerResizeInfeasible":
    case undefined:
      return { kind: "expand", size: begun };
    default:
      return { kind: "expand", size: requested };
  }
}

function resizeStatus({ status }: PersistentVolumeClaim): string | undefined {
  return status?.allocatedResourceStatuses?.storage || undefined;
}
