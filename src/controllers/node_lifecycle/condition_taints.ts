import type { Node, Taint } from "../../api/mod.ts";
import { hasTaint, type TaintIdentity } from "../nodes/mod.ts";
import { NOT_READY, UNREACHABLE } from "./ready_taints.ts";

const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";
/** Taint keys by condition and status. */
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};
const OWN_KEYS = new Set([UNSCHEDULABLE, ...Object.values(KEYS).flatMap((keys) => Object.values(keys))]);

/** Taints to add and to remove. */
export interface TaintChanges {
  readonly added: readonly TaintIdentity[];
  readonly removed: readonly Taint[];
}

/**
 * The difference between a node's NoSchedule taints and its conditions; taints of others do not count.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (doNoScheduleTaintingPass).
 *
 * @returns `undefined` if there is none.
 */
export function conditionTaintChanges({ spec, status }: Node): TaintChanges | undefined {
  const wanted = (status?.conditions ?? []).flatMap((condition) => taintOf(keyOf(condition)));
  if (spec?.unschedulable) wanted.push(...taintOf(UNSCHEDULABLE));
  const present = (spec?.taints ?? []).filter(({ key, effect }) => effect === "NoSchedule" && OWN_KEYS.has(key));
  const added = wanted.filter((taint) => !hasTaint(present, taint));
  const removed = present.filter((taint) => !hasTaint(wanted, taint));
  return added.length + removed.length > 0 ? { added, removed } : undefined;
}

/** A condition may be called `constructor`. */
function keyOf({ type, status }: { readonly type: string; readonly status: string }): string | undefined {
  const keys = Object.hasOwn(KEYS, type) ? KEYS[type] : {};
  return Object.hasOwn(keys, status) ? keys[status] : undefined;
}

function taintOf(key: string | undefined): TaintIdentity[] {
  return key === undefined ? [] : [{ key, effect: "NoSchedule" }];
}
