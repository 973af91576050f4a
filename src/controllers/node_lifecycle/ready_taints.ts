import type { TaintIdentity } from "../nodes/mod.ts";

/** Key of the taints of a node that says it is not ready. */
export const NOT_READY = "node.kubernetes.io/not-ready";
/** Key of the taints of a node that says nothing. */
export const UNREACHABLE = "node.kubernetes.io/unreachable";

/** By which pods are evicted from a node that says it is not ready. */
export const NOT_READY_TAINT: TaintIdentity = { key: NOT_READY, effect: "NoExecute" };
/** By which pods are evicted from a node that says nothing. */
export const UNREACHABLE_TAINT: TaintIdentity = { key: UNREACHABLE, effect: "NoExecute" };

/** The taint by which pods are evicted from a node, and the one that it then must not have. */
export interface ReadyTaints {
  readonly wanted: TaintIdentity;
  readonly opposite: TaintIdentity;
}

/** @returns `undefined` for a node that is ready, or says of that neither yes nor no. */
export function readyTaints(status: string): ReadyTaints | undefined {
  if (status === "False") return { wanted: NOT_READY_TAINT, opposite: UNREACHABLE_TAINT };
  if (status === "Unknown") return { wanted: UNREACHABLE_TAINT, opposite: NOT_READY_TAINT };
  return undefined;
}
