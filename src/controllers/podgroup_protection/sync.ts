import { splitKey } from "../../api/mod.ts";
import { release } from "./actions.ts";
import type { ProtectionContext } from "./context.ts";
import { ACTIVE_POD_INDEX } from "./groups_of_pods.ts";
import { isHeld } from "./guard.ts";

/**
 * Lets a group go that is to be deleted, once no active pod is scheduled with it.
 *
 * @throws {StatusError} If it could not be written.
 */
export async function syncGroup(key: string, context: ProtectionContext): Promise<void> {
  const { namespace, name } = splitKey(key);
  const group = context.groups.get(namespace, name);
  if (!group || !isHeld(group)) return;
  if (context.pods.byIndex(ACTIVE_POD_INDEX, key).length === 0) return await release(group, context);
  context.world.log.verbose(4, "Keeping PodGroup finalizer because it is still being used by pods", { podGroup: key });
}
