import { byKey } from "../running/mod.ts";
import { evictPod, tellCancelled } from "./actions.ts";
import type { DeviceEvictionContext } from "./context.ts";
import { type Eviction, evictionOf } from "./decision.ts";
import { POD_ITEM } from "./items.ts";
import { queueRules } from "./rule_status.ts";

/**
 * Evicts a pod when its time has come, and otherwise waits. All inputs are read again each time: whatever cancels or
 * moves an eviction queues the pod.
 * Upstream: `pkg/controller/devicetainteviction/device_taint_eviction.go` (handlePod, maybeDeletePod).
 *
 * @param key `namespace/name`.
 * @throws {StatusError} If it could not be evicted; it is retried.
 */
export async function syncPod(key: string, context: DeviceEvictionContext): Promise<void> {
  const { world: { clock }, pods, queue, standings } = context;
  const pod = byKey(pods, key);
  const uid = pod?.metadata?.uid ?? "";
  const before = standings.get(key);
  if (before && (!pod || before.uid !== uid)) forget(key, context);
  else if (before?.state === "evicted") return;
  const eviction = pod && evictionOf(pod, context);
  if (!eviction) {
    if (forget(key, context)) tellCancelled({ key, uid }, context);
    return;
  }
  queue.withdraw(POD_ITEM + key);
  queueRules(eviction.rules.keys(), "a pod is to be evicted", context);
  const planned = before?.state === "pending" ? before.plannedMs : undefined;
  const waitMs = Math.max(eviction.atMs - clock.wallMs(), 0) || context.time.settlingMs(planned);
  const rules = [...eviction.rules.keys()];
  if (waitMs > 0) {
    standings.set(key, { state: "pending", uid, rules, plannedMs: clock.monotonicMs() + waitMs });
    if (waitMs < Infinity) queue.addAfter(POD_ITEM + key, waitMs, { due: eviction.because });
    return;
  }
  standings.set(key, { state: "pending", uid, rules });
  if (await evictPod({ key, uid }, eviction, context)) noteEvicted(eviction, context);
  standings.set(key, { state: "evicted", uid });
}

/** @returns Whether the pod was to be evicted. */
function forget(key: string, context: DeviceEvictionContext): boolean {
  const standing = context.standings.get(key);
  if (!standing) return false;
  context.standings.delete(key);
  context.queue.withdraw(POD_ITEM + key);
  if (standing.state === "evicted") return false;
  queueRules(standing.rules, "a pod is not to be evicted any more", context);
  return true;
}

function noteEvicted({ rules }: Eviction, context: DeviceEvictionContext): void {
  for (const [name, uid] of rules) {
    if (context.ruleLister.get(undefined, name)?.metadata?.uid !== uid) continue;
    context.evictedBy.set(uid, (context.evictedBy.get(uid) ?? 0) + 1);
  }
  queueRules(rules.keys(), "a pod was evicted", context);
}
