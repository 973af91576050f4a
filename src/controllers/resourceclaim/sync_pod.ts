import { objectKey, type Pod, type PodGroup } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import { claimNames, foreignClaimText, groupKeyOf, isClaimFor, isReservedForPod } from "../device_claims/mod.ts";
import { reserve } from "./actions.ts";
import { isShared, namelessText, POD, POD_GROUP } from "./claimants.ts";
import type { ClaimContext } from "./context.ts";
import { ensureClaims } from "./ensure_claims.ts";

/**
 * Ensures that a pod has its claims, and reserves them if it bypassed the scheduler.
 * Upstream: `pkg/controller/resourceclaim/controller.go` (syncPod).
 *
 * @param key `namespace/name`.
 * @param signal Stops a sync of many claims.
 * @throws {Error} If the key must be retried.
 */
export async function syncPod(key: string, context: ClaimContext, signal: AbortSignal): Promise<void> {
  const pod = context.pods.get(key);
  if (!pod || pod.metadata?.deletionTimestamp || isPodTerminal(pod)) return;
  const group = groupOf(pod, context);
  const named = await ensureClaims({ claimant: pod, kind: POD, group }, context, signal);
  if (pod.spec?.nodeName) await reserveAll(named, group, context, signal); // otherwise that is the scheduler's task
}

/** The group of a pod, if it has one and groups count. @throws {Error} If the cache does not have it. */
function groupOf(pod: Pod, { groups }: ClaimContext): PodGroup | undefined {
  const groupKey = groupKeyOf(pod);
  if (!groups || groupKey === undefined) return undefined;
  const group = groups.get(groupKey);
  if (group) return group;
  const missing = `podgroup.scheduling.k8s.io "${pod.spec?.schedulingGroup?.podGroupName}" not found`;
  throw new Error(`get PodGroup for Pod ${objectKey(pod)}: ${missing}`);
}

async function reserveAll(
  pod: Pod,
  group: PodGroup | undefined,
  { claims, client, groups }: ClaimContext,
  signal: AbortSignal,
): Promise<void> {
  const withGroups = { withGroups: groups !== undefined };
  const nameOf = claimNames(pod);
  for (const podClaim of pod.spec?.resourceClaims ?? []) {
    signal.throwIfAborted();
    const found = nameOf(podClaim);
    if (found.type === "unneeded") continue;
    const isOfGroup = group !== undefined && isShared(podClaim, group);
    if (found.type === "pending" && isOfGroup) return; // once its group has it the pod is looked at again
    if (found.type !== "named") throw new Error(namelessText(pod, podClaim, { ...POD, ...found }));
    const claim = claims.get(pod.metadata?.namespace, found.name);
    if (!claim) return; // once the cache shows it the pod is looked at again
    if (found.isGenerated && !isClaimFor(claim, pod, withGroups)) {
      throw new Error(foreignClaimText(claim, pod, POD.word));
    }
    if (!claim.status?.allocation || isReservedForPod(claim, pod, withGroups)) continue;
    const user = isOfGroup ? { claimant: group, kind: POD_GROUP } : { claimant: pod, kind: POD };
    await reserve(claim, user, { client });
  }
}
