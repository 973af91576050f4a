import { findCondition, type PersistentVolumeClaim } from "../../api/mod.ts";
import { withCondition } from "../running/mod.ts";

const UNUSED = "Unused";

/** Whether nothing has been said yet about who uses a claim. */
export function lacksUnused({ status }: PersistentVolumeClaim): boolean {
  return findCondition(status?.conditions, UNUSED) === undefined;
}

/**
 * The conditions of a claim with what is now known of its use, or `undefined` if they say so already.
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
