import { TurnBudget } from "../../base/mod.ts";
import { type Node, objectKey, type Pod, type Taint } from "../../api/mod.ts";
import { NODE_NAME_INDEX } from "../../cache/mod.ts";
import { byKey } from "../running/mod.ts";
import { tellCancelled } from "./actions.ts";
import type { TaintEvictionContext } from "./context.ts";
import { splitPodItem } from "./pod_item.ts";
import { toleratedMs } from "./toleration_time.ts";

const NONE: readonly Taint[] = [];

/** The taints of a node that evict pods. */
export function evictingTaints({ spec }: Node): readonly Taint[] {
  return spec?.taints?.filter(({ effect }) => effect === "NoExecute") ?? [];
}

/**
 * Handles all pods of a node whose taints have changed. Evictions pending for a deleted node stay as they are: the node
 * may come back.
 *
 * @param name The node's.
 */
export async function syncNode(name: string, context: TaintEvictionContext): Promise<void> {
  const { nodes, podIndexer, changed, tainted, world: { clock } } = context;
  if (!changed.delete(name)) return; // a pod's sync came first
  const node = nodes.get(undefined, name);
  const found = node ? evictingTaints(node) : NONE;
  const taints = found.length > 0 ? found : NONE;
  if (taints === NONE) tainted.delete(name);
  else tainted.set(name, taints);
  if (!node) return;
  const budget = new TurnBudget(clock);
  for (const pod of podIndexer.byIndex(NODE_NAME_INDEX, name)) {
    if (budget.spent) await budget.nextTurn();
    if ((tainted.get(name) ?? NONE) !== taints) return; // they changed again, and that sync handled all pods
    decide(pod, taints, context);
  }
}

/** Handles a pod that is new, was bound, has changed tolerations, or is gone. */
export async function syncPod(item: string, context: TaintEvictionContext): Promise<void> {
  const { key, nodeName } = splitPodItem(item);
  const pod = byKey(context.pods, key);
  if (!pod) return cancel(key, context);
  if (nodeName === "" || pod.spec?.nodeName !== nodeName) return;
  // Taints removed in the meantime evict no pod.
  await syncNode(nodeName, context);
  const taints = context.tainted.get(nodeName);
  if (taints) decide(pod, taints, context);
}

function decide(pod: Pod, taints: readonly Taint[], context: TaintEvictionContext): void {
  const { timers } = context;
  const key = objectKey(pod);
  const uid = pod.metadata?.uid;
  if (taints.length === 0 || timers.isForAnother({ key, uid })) cancel(key, context);
  if (taints.length === 0) return;
  const afterMs = toleratedMs(taints, pod.spec?.tolerations);
  if (afterMs === undefined || afterMs === Infinity) cancel(key, context);
  if (afterMs === Infinity) return;
  const cause = `node ${pod.spec?.nodeName} has the taint ${taints.map(({ key }) => key).join(", ")}`;
  timers.start({ key, uid, cause }, afterMs ?? 0);
}

function cancel(key: string, context: TaintEvictionContext): void {
  if (context.timers.cancel(key)) tellCancelled(key, context);
}
