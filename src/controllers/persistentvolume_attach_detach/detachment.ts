import type { Node } from "../../api/mod.ts";
import { findCondition } from "../../api/mod.ts";

/** How long an unresponsive node keeps a volume that it uses. */
export const UNMOUNT_WAIT_MS = 360_000;
const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** The state of an unwanted attachment. */
export interface Unwanted {
  /** `undefined` if there is none. */
  readonly node: Node | undefined;
  readonly isInUse: boolean;
  /** For how long it has not been wanted. */
  readonly forMs: number;
  readonly forceDetachesNever: boolean;
}

/** How to detach a volume. */
export interface Detachment {
  /** Whether the node must first be asked if it uses the volume. */
  readonly verifies: boolean;
  /** Why it is not. */
  readonly forcedBy?: "timeout" | "out-of-service";
}

/**
 * Decides how to detach an unwanted volume; `undefined` if it must stay attached. This protects data: a volume that a
 * kubelet uses stays, unless the node is known to be out of service, or has been unhealthy for too long.
 */
export function detachmentOf({ node, isInUse, forMs, forceDetachesNever }: Unwanted): Detachment | undefined {
  const isTimedOut = forMs > UNMOUNT_WAIT_MS && !forceDetachesNever;
  const isForced = isTimedOut && !isReady(node);
  const isOut = isOutOfService(node);
  if (isInUse && !isForced && !isOut) return undefined;
  if (isTimedOut) return { verifies: false, forcedBy: "timeout" };
  return isOut ? { verifies: false, forcedBy: "out-of-service" } : { verifies: true };
}

export function isReady(node: Node | undefined): boolean {
  return findCondition(node?.status?.conditions, "Ready")?.status === "True";
}

/** Whether a node is tainted as out of service, whatever the effect. */
export function isOutOfService(node: Node | undefined): boolean {
  return node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false;
}
