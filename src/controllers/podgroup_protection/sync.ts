import { PODGROUPS } from "../../api/mod.ts";
import { guard } from "../protection/mod.ts";
import { byKey, isDeletionCandidate } from "../running/mod.ts";
import type { ProtectionContext } from "./context.ts";
import { ACTIVE_POD_INDEX } from "./groups_of_pods.ts";

/** Keeps a group until no active pod is scheduled with it; admission sets it. */
export const FINALIZER = "scheduling.k8s.io/podgroup-protection";

/**
 * Removes the finalizer from a group that is being deleted, once no active pod is scheduled with it. Never adds it.
 *
 * @throws {StatusError} If it could not be written.
 */
export async function syncGroup(key: string, { world, client, groups, pods }: ProtectionContext): Promise<void> {
  const group = byKey(groups, key);
  if (!group || !isDeletionCandidate(group, FINALIZER)) return;
  const isUsed = () => pods.byIndex(ACTIVE_POD_INDEX, key).length > 0;
  await guard(group, { world, client, resource: PODGROUPS, finalizer: FINALIZER, isUsed });
}
