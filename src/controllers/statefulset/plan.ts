import { isPodAvailable, isPodReady, isPodTerminal } from "../../rules/mod.ts";
import { type Pod, scaledValue, type StatefulSet } from "../../api/mod.ts";
import { replicasOf, startOrdinal } from "./ordinals.ts";
import type { Placement, Slot } from "./slots.ts";

/** The inputs for judging pods. */
export interface View {
  /** Whether each pod waits for the one before it. */
  readonly isOrdered: boolean;
  readonly minReadySeconds: number;
  /** The wall clock. */
  readonly nowMs: number;
}

/** An action for a wanted pod; `repair` checks by itself whether anything needs repair. */
export type SlotAction = "create" | "delete" | "completeClaims" | "repair";

/** The plan for one pod. */
export interface SlotPlan {
  readonly actions: readonly SlotAction[];
  /** Whether later pods are skipped in this sync. Only an ordered set stops. */
  readonly stops: boolean;
}

const isDeleting = ({ metadata }: Pod) => Boolean(metadata?.deletionTimestamp);
const isRunningAndReady = (pod: Pod) => pod.status?.phase === "Running" && isPodReady(pod);

/** Whether the pod is or soon will be unavailable. */
export function isUnavailable(pod: Pod | undefined, { minReadySeconds, nowMs }: View): boolean {
  return !pod || isDeleting(pod) || !isPodAvailable(pod, minReadySeconds, nowMs);
}

/**
 * What to do for a wanted pod. Upstream: `pkg/controller/statefulset/stateful_set_control.go` (processReplica).
 *
 * @param options.hasStaleClaim Whether a claim of the pod's predecessor is about to be deleted.
 */
export function planSlot(
  { found }: Pick<Slot, "found">,
  { hasStaleClaim, ...view }: View & { readonly hasStaleClaim: () => boolean },
): SlotPlan {
  if (!found) {
    if (hasStaleClaim()) return { actions: [], stops: true };
    return view.isOrdered ? { actions: ["create"], stops: true } : { actions: ["create", "repair"], stops: false };
  }
  // Its successor is created when it is gone, however it ended.
  if (isPodTerminal(found)) return { actions: isDeleting(found) ? [] : ["delete"], stops: true };
  const first: SlotAction[] = found.status?.phase === "Pending" ? ["completeClaims"] : [];
  if (view.isOrdered && (!isRunningAndReady(found) || isUnavailable(found, view))) {
    return { actions: first, stops: true };
  }
  return { actions: [...first, "repair"], stops: false };
}

/** The decision about a pod that is not wanted. */
export interface CondemnedPlan {
  readonly isDeleted: boolean;
  readonly stops: boolean;
}

/**
 * What to do with a pod that is not wanted. Upstream: processCondemned.
 *
 * @param options.firstUnavailable The pod that may be deleted although it is unhealthy: nothing else holds the set up.
 */
export function planCondemned(
  pod: Pod,
  { firstUnavailable, ...view }: View & { readonly firstUnavailable: Pod | undefined },
): CondemnedPlan {
  if (isDeleting(pod)) return { isDeleted: false, stops: view.isOrdered };
  const isWell = isRunningAndReady(pod) && isPodAvailable(pod, view.minReadySeconds, view.nowMs);
  if (view.isOrdered && !isWell && pod !== firstUnavailable) return { isDeleted: false, stops: true };
  return { isDeleted: true, stops: true };
}

/** The first unhealthy pod: of those wanted, else of those that are not. `undefined` also if it does not exist. */
export function firstUnavailable({ slots, condemned }: Placement, view: View): Pod | undefined {
  const slot = slots.find(({ found }) => isUnavailable(found, view));
  return slot ? slot.found : condemned.findLast((pod) => isUnavailable(pod, view));
}

/** The inputs of an update of pods. */
export interface UpdateView extends View {
  /** The name of the revision that pods should have. */
  readonly revision: string;
  /** How many pods may be unavailable at a time; `undefined` if the feature is off. */
  readonly maxUnavailable: number | undefined;
}

/**
 * The pods to delete now so that they are recreated from the revision being rolled out, highest ordinal first.
 * Upstream: updateStatefulSet and updateStatefulSetAfterInvariantEstablished.
 */
export function planUpdate(set: StatefulSet, slots: readonly Slot[], view: UpdateView): Slot[] {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return [];
  const first = startOrdinal(set) + (rollingUpdate?.partition ?? 0);
  const updatable = slots.filter(({ ordinal }) => ordinal >= first).reverse();
  const isOutdated = ({ found, revision }: Slot) => revision !== view.revision && !(found && isDeleting(found));
  if (view.maxUnavailable === undefined) {
    const next = updatable.find((slot) => isOutdated(slot) || isUnavailable(slot.found, view));
    return next && isOutdated(next) ? [next] : [];
  }
  const unavailable = slots.filter(({ found }) => isUnavailable(found, view)).length;
  return updatable.filter(isOutdated).slice(0, Math.max(0, view.maxUnavailable - unavailable));
}

/**
 * How many pods may be unavailable during an update, at least one.
 *
 * @throws {Error} If it is neither a number nor a percentage.
 */
export function maxUnavailableOf(set: StatefulSet): number {
  const value = set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  return Math.max(1, scaledValue(value, replicasOf(set), { roundUp: false }));
}
