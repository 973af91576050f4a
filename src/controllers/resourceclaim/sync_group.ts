import { POD_GROUP } from "./claimants.ts";
import type { ClaimContext } from "./context.ts";
import { ensureClaims } from "./ensure_claims.ts";

/**
 * Ensures that a group has the claims that its pods share. They are reserved for it when a pod needs them.
 * Upstream: `pkg/controller/resourceclaim/controller.go` (syncPodGroup).
 *
 * @param key `namespace/name`.
 * @param signal Stops a sync of many claims.
 * @throws {Error} If the key must be retried.
 */
export async function syncGroup(key: string, context: ClaimContext, signal: AbortSignal): Promise<void> {
  const group = context.groups?.get(key);
  if (!group || group.metadata?.deletionTimestamp) return;
  await ensureClaims({ claimant: group, kind: POD_GROUP }, context, signal);
}
