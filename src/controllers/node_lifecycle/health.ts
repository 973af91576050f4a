import { findCondition, type Lease, type Node, type NodeCondition, parseTime } from "../../api/mod.ts";

/** The state of a node between two checks. */
export interface NodeHealth {
  /** Its last sign of life, in this process's waking time. */
  readonly probedMs: number;
  /** Its Ready condition at its last own heartbeat, or as it was written here. */
  readonly ready?: NodeCondition;
  /** The lease of its last sign of life. */
  readonly lease?: { readonly renewTime?: string };
}

/** A check of a node: what it shows, and when. */
export interface Look {
  readonly node: Node;
  readonly lease: Lease | undefined;
  /** Waking time. */
  readonly nowMs: number;
  /** The wall clock, for the age of a node that never reported. */
  readonly wallMs: number;
}

/** A node's Ready condition. */
export function readyOf({ status }: Node): NodeCondition | undefined {
  return findCondition(status?.conditions, "Ready");
}

/**
 * A node's state after a check. Times by the node's own clock are only compared for changes.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (tryUpdateNodeHealth).
 */
export function looked(before: NodeHealth | undefined, look: Look): NodeHealth {
  const observed = withHeartbeat(before, look);
  const renewTime = look.lease?.spec?.renewTime;
  // The previously saved lease counts although a new heartbeat dropped it; the next check then considers it renewed.
  if (!look.lease || (before?.lease && !isRenewed(renewTime, before.lease.renewTime))) return observed;
  return { ...observed, lease: { renewTime }, probedMs: look.nowMs };
}

function withHeartbeat(before: NodeHealth | undefined, { node, nowMs, wallMs }: Look): NodeHealth {
  const ready = readyOf(node);
  if (!ready) {
    if (before) return { ...before, ready: undefined };
    return { probedMs: nowMs - (wallMs - createdMs(node, wallMs)) };
  }
  if (before?.ready && before.ready.lastHeartbeatTime === ready.lastHeartbeatTime) return before;
  return { probedMs: nowMs, ready };
}

/** Whether a node has been silent for too long; the limit is longer for one that has never reported. */
export function isLate(
  { probedMs }: NodeHealth,
  { node, nowMs }: Pick<Look, "node" | "nowMs">,
  { startupGraceMs, graceMs }: { readonly startupGraceMs: number; readonly graceMs: number },
): boolean {
  return nowMs > probedMs + (readyOf(node) ? graceMs : startupGraceMs);
}

function createdMs({ metadata }: Node, wallMs: number): number {
  return metadata?.creationTimestamp ? parseTime(metadata.creationTimestamp) : wallMs;
}

/** Also if it went backwards: upstream considers a node whose clock was set back silent. */
function isRenewed(time: string | undefined, before: string | undefined): boolean {
  return time !== undefined && before !== undefined && time !== before;
}
