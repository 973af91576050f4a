import { findCondition, type PersistentVolumeClaim } from "../../api/mod.ts";
import { withCondition } from "../running/mod.ts";

const UNUSED = "Unused";

/** Whether a claim's use has not been recorded yet. */
export function lacksUnused({ status }: PersistentVolumeClaim): boolean {
  return findCondition(status?.conditions, UNUSED) === undefined;
}

/**
 * A claim's conditions with its current use; `undefined` if they are already right.
 * Upstream: `pkg/controller/volume/pvcprotection` (updateUnusedCondition).
 *
 * @param nowMs The wall clock.
 */
export function unusedConditions(
  { status }: PersistentVolumeClaim,
  isUsed: boolean,
  nowMs: number,
): ReturnType<typeof withCondition<Condition>> | undefined {
  const said = findCondition(status?.conditions, UNUSED)?.status;
  if (said !== undefined && (said === "True") !== isUsed) return undefined;
  const statement = isUsed
    ? { status: "False", reason: "PodUsingPVC", message: "A pod is currently referencing this PVC" }
    : { status: "True", reason: "NoPodsUsingPVC", message: "No pods are currently referencing this PVC" };
  return withCondition<Condition>(status?.conditions, { type: UNUSED, ...statement }, nowMs);
}

type Condition = NonNullable<NonNullable<PersistentVolumeClaim["status"]>["conditions"]>[number];
