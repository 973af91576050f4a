import { byKey } from "../running/mod.ts";
import { markPodsNotReady } from "./actions.ts";
import type { LifecycleContext } from "./context.ts";

/**
 * Marks a pod that was bound to an unready node as not ready: the node's next check only marks pods of nodes that have
 * just become unready.
 *
 * @param key `namespace/name`.
 * @throws {Error} If the pod must be retried: its node is not in the cache yet, or it could not be marked.
 */
export async function syncPod(key: string, context: LifecycleContext): Promise<void> {
  const pod = byKey(context.pods, key);
  const name = pod?.spec?.nodeName;
  if (!pod || !name) return;
  const health = context.healths.get(name);
  if (!health) return;
  if (!context.nodes.get(undefined, name)) throw new Error(`node "${name}" not found`);
  if (!health.ready || health.ready.status === "True") return;
  await markPodsNotReady([pod], context);
}
