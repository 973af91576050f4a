import { objectKey, type StatefulSet, STATEFULSETS, type StatefulSetStatus } from "../../api/mod.ts";
import { retryOnConflict } from "../../client/mod.ts";
import type { StatefulSetContext } from "./context.ts";
import { needsWrite } from "./status.ts";

/**
 * Writes the status if it is worth it, after a conflict over the set as the cache has it by then.
 * Upstream: `pkg/controller/statefulset/stateful_set_status_updater.go`.
 *
 * @throws {StatusError} What the last try was answered.
 * @throws {Error} If another set has the name by then, whose status this is not.
 */
export async function writeStatus(
  cached: StatefulSet,
  status: StatefulSetStatus,
  { world, client, sets, guard }: Pick<StatefulSetContext, "world" | "client" | "sets" | "guard">,
): Promise<void> {
  if (!needsWrite(cached, status)) return;
  const { namespace, name = "", uid } = cached.metadata ?? {};
  let set = cached;
  await retryOnConflict(world, async () => {
    if (set.metadata?.uid !== uid) {
      throw new Error(`Cannot write the status of StatefulSet ${objectKey(cached)}: it was replaced by another one`);
    }
    try {
      guard.wroteOwner(await client.updateStatus(STATEFULSETS, { ...set, status }));
    } catch (error) {
      set = sets.get(namespace, name) ?? set;
      throw error;
    }
  });
}
