import { joinKey, type Pod } from "../../api/mod.ts";

/** Pods that have not ended, by the key of their group. */
export const ACTIVE_POD_INDEX = "activePodSchedulingGroup";

/** Whether nothing of a pod runs any more. */
export function hasEnded({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** The key of the group that a pod is scheduled with, if there is one. */
export function groupOf({ metadata, spec }: Pod): string | undefined {
  const name = spec?.schedulingGroup?.podGroupName;
  return name === undefined ? undefined : joinKey(metadata?.namespace, name);
}

/** The key of the group that a pod keeps. */
export function activeGroupOf(pod: Pod): string[] {
  const group = hasEnded(pod) ? undefined : groupOf(pod);
  return group === undefined ? [] : [group];
}
