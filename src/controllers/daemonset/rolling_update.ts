import { type DaemonSet, type Pod } from "../../api/mod.ts";
import { isPodAvailable } from "../../rules/mod.ts";
import type { UpdateBounds } from "./bounds.ts";
import { isDeleting, type PodsByNode } from "./daemon_pods.ts";
import type { Eligibility } from "./eligibility.ts";
import { isPodUpdated } from "./new_pod.ts";

/** The inputs of an update. */
export interface UpdateView extends UpdateBounds {
  readonly daemonSet: DaemonSet;
  /** The current revision's. */
  readonly hash: string;
  /** How many nodes should have a pod. */
  readonly desired: number;
  /** @throws {Error} If there is no such node. */
  readonly eligibilityOf: (node: string) => Eligibility;
  /** The wall clock. */
  readonly nowMs: number;
}

/** What to do in this step of an update. */
export interface UpdatePlan {
  readonly deleted: readonly Pod[];
  /** Nodes that get another pod. */
  readonly needing: readonly string[];
}

/** The pods of a node that are not going: one of the current revision and one of another at most, or too many. */
type NodePods =
  | { readonly kind: "excess" }
  | { readonly kind: "fair"; readonly newer: Pod | undefined; readonly older: Pod | undefined };

/**
 * Decides which pods to replace now: deleted first or, with surge, after their successors are available.
 * Upstream: `pkg/controller/daemon/update.go` (rollingUpdate).
 *
 * @param pods Has an entry, possibly empty, for every node that should have a pod.
 */
export function planRollingUpdate(pods: PodsByNode, view: UpdateView): UpdatePlan {
  return view.maxSurge === 0 ? planReplacement(pods, view) : planSurge(pods, view);
}

function sortPods(pods: readonly Pod[], { daemonSet, hash }: UpdateView): NodePods {
  const present = pods.filter((pod) => !isDeleting(pod));
  const { newer = [], older = [] } = Object.groupBy(
    present,
    (pod) => isPodUpdated(pod, daemonSet, hash) ? "newer" : "older",
  );
  if (newer.length > 1 || older.length > 1) return { kind: "excess" };
  return { kind: "fair", newer: newer.at(0), older: older.at(0) };
}

/** Unavailable old pods are always replaced; available ones, as many as may additionally be unavailable. */
function planReplacement(pods: PodsByNode, view: UpdateView): UpdatePlan {
  const isAvailable = availability(view);
  let unavailable = 0;
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  for (const podsOfNode of pods.values()) {
    const node = sortPods(podsOfNode, view);
    if (node.kind === "excess" || (node.newer === undefined) === (node.older === undefined)) {
      unavailable++;
    } else if (node.newer) {
      if (!isAvailable(node.newer)) unavailable++;
    } else if (isAvailable(node.older!)) {
      candidates.push(node.older!);
    } else {
      broken.push(node.older!);
      unavailable++;
    }
  }
  const more = Math.max(0, view.maxUnavailable - unavailable);
  return { deleted: [...broken, ...candidates.slice(0, more)], needing: [] };
}

/** Available old pods stay until their successors are available; a limited number of successors may be starting. */
function planSurge(pods: PodsByNode, view: UpdateView): UpdatePlan {
  const isAvailable = availability(view);
  let surging = 0;
  let available = 0;
  const deleted: Pod[] = [];
  const unwanted: Pod[] = [];
  const needing: string[] = [];
  const candidates: string[] = [];
  for (const [name, podsOfNode] of pods) {
    const node = sortPods(podsOfNode, view);
    if (node.kind === "excess") {
      surging++;
      continue;
    }
    const { newer, older } = node;
    const serving = older ?? newer;
    if (serving && isAvailable(serving)) available++;
    if (!older) continue;
    if (newer) {
      if (isAvailable(newer)) deleted.push(older);
      else surging++;
    } else if (view.eligibilityOf(name).shouldRun) {
      (isAvailable(older) ? candidates : needing).push(name);
    } else {
      (isAvailable(older) ? unwanted : deleted).push(older);
    }
  }
  // A pod on a node that is no longer eligible stays until there is a replacement.
  const spare = Math.max(0, available - view.desired);
  return {
    deleted: [...deleted, ...unwanted.slice(0, spare)],
    needing: [...needing, ...candidates.slice(0, Math.max(0, view.maxSurge - surging))],
  };
}

function availability({ daemonSet, nowMs }: UpdateView): (pod: Pod) => boolean {
  const minReadySeconds = daemonSet.spec?.minReadySeconds ?? 0;
  return (pod) => isPodAvailable(pod, minReadySeconds, nowMs);
}
