import { findCondition, type Lease, type Node, type NodeCondition, parseTime } from "../../api/mod.ts";

/** What is remembered of a node between two looks at it. */
export interface NodeHealth {
  /** When it last gave a sign of life, by the waking time of this process. */
  readonly probedMs: number;
  /** Its condition Ready when it was last looked at with a heartbeat of its own, or as it was written here. */
  readonly ready?: NodeCondition;
  /** The lease by which it last gave a sign. */
  readonly lease?: { readonly renewTime?: string };
}

/** What a node shows, and when it is looked at. */
export interface Look {
  readonly node: Node;
  readonly lease: Lease | undefined;
  /** Waking time. */
  readonly nowMs: number;
  /** The wall clock, for the age of a node that has never said anything. */
  readonly wallMs: number;
}

/** The condition of a node that says whether it takes pods. */
export function readyOf({ status }: Node): NodeCondition | undefined {
  return findCondition(status?.conditions, "Ready");
}

/**
 * What is known of a node after a look at it. Times of the node's own clock are compared for change only.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (tryUpdateNodeHealth).
 */
export function looked(before: NodeHealth | undefined, look: Look): NodeHealth {
  const observed = withHeartbeat(before, look);
  const renewTime = look.lease?.spec?.renewTime;
  // The lease saved before counts, though a new heartbeat has dropped it: then the next look takes it for renewed.
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

/** Whether a node has been silent for longer than it may: longer for one that has never said how it is. */
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

/** Also where it went back: upstream takes a node whose clock was set back for silent. */
function isRenewed(time: string | undefined, before: string | undefined): boolean {
  return time !== undefined && before !== undefined && time !== before;
}
