import type { TaintIdentity } from "../nodes/mod.ts";

/** The taint key of a node that reports that it is not ready. */
export const NOT_READY = "node.kubernetes.io/not-ready";
/** The taint key of a silent node. */
export const UNREACHABLE = "node.kubernetes.io/unreachable";

/** Evicts pods from a node that reports that it is not ready. */
export const NOT_READY_TAINT: TaintIdentity = { key: NOT_READY, effect: "NoExecute" };
/** Evicts pods from a silent node. */
export const UNREACHABLE_TAINT: TaintIdentity = { key: UNREACHABLE, effect: "NoExecute" };

/** The taint that evicts pods from a node, and the opposite one, which it must not have then. */
export interface ReadyTaints {
  readonly wanted: TaintIdentity;
  readonly opposite: TaintIdentity;
}

/** @returns `undefined` for a node whose status is neither False nor Unknown. */
export function readyTaints(status: string): ReadyTaints | undefined {
  if (status === "False") return { wanted: NOT_READY_TAINT, opposite: UNREACHABLE_TAINT };
  if (status === "Unknown") return { wanted: UNREACHABLE_TAINT, opposite: NOT_READY_TAINT };
  return undefined;
}
