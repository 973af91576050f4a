import { byKey } from "../running/mod.ts";
import { markPodsNotReady } from "./actions.ts";
import type { LifecycleContext } from "./context.ts";

/**
 * Says of a pod that was bound to a node which is not ready that it is not ready either: the next look at the node only marks the
 * pods of nodes that have just ceased to be ready.
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
