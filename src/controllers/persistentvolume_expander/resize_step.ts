import type { PersistentVolumeClaim, Quantity } from "../../api/mod.ts";
import type { BoundClaim } from "./context.ts";
import { allocatedSize, claimedSize, requestedSize, SIZE_BEFORE, volumeSize } from "./sizes.ts";

/** The next step of an expansion by this controller. */
export type ResizeStep =
  | { readonly kind: "none" }
  /** Finished: the volume no longer needs to record its previous size. */
  | { readonly kind: "forget size before" }
  /** The node must retry. */
  | { readonly kind: "leave to node" }
  | { readonly kind: "expand"; readonly size: Quantity };

/** Resizes that continue to the size for which they were started. */
const BEGUN: readonly (string | undefined)[] = [
  "ControllerResizeInProgress",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
];

/**
 * The next step, given the state of claim and volume. Upstream:
 * `pkg/volume/util/operationexecutor/operation_generator.go` (expandAndRecoverFunction), `expand_controller.go`
 * (expand).
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
