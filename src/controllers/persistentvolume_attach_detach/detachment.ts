import type { Node } from "../../api/mod.ts";
import { findCondition } from "../../api/mod.ts";

/** How long a node that does not answer keeps a volume that it uses. */
export const UNMOUNT_WAIT_MS = 360_000;
const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** What is known of a volume that is not wanted where it is. */
export interface Unwanted {
  /** `undefined` if there is none. */
  readonly node: Node | undefined;
  readonly isInUse: boolean;
  /** For how long it has not been wanted. */
  readonly forMs: number;
  readonly forceDetachesNever: boolean;
}

/** How a volume is to be detached. */
export interface Detachment {
  /** Whether the node is to be asked first if it uses the volume. */
  readonly verifies: boolean;
  /** Why it is not. */
  readonly forcedBy?: "timeout" | "out-of-service";
}

/**
 * Decides how a volume is to be detached that nobody wants there; `undefined` if it is not to be: what a kubelet uses stays, unless
 * the node is known to be out of service, or has been ill for too long. This guards data.
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

/** Whether somebody has said that a node is switched off, with whatever effect. */
export function isOutOfService(node: Node | undefined): boolean {
  return node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false;
}
