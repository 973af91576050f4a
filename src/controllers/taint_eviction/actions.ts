import { sleep } from "../../base/mod.ts";
import { PODS, splitKey } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { markAndDelete } from "../evictions/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { EvictionContext } from "./context.ts";
import type { Eviction } from "./timers.ts";

const EVICTED = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
  namesGeneration: true,
};
const TRIES = 5;
const RETRY_MS = 10;

/**
 * Marks a pod as a disruption target and deletes it, with up to five tries. A newer pod of the same name is left alone,
 * as each is decided on its own. A pod that is already gone needs nothing.
 *
 * @param dueMs When it was due, by the monotonic clock.
 * @throws {StatusError} The failure of the last try.
 */
export async function evictPod({ key, uid }: Eviction, dueMs: number, context: EvictionContext): Promise<void> {
  const { world: { clock, log }, client, metrics } = context;
  log.info("Deleting pod", { pod: key });
  podEvent(key, `Marking for deletion Pod ${key}`, context);
  for (let left = TRIES - 1;; left--) {
    try {
      const pod = await client.get(PODS, splitKey(key));
      if (uid !== undefined && pod.metadata?.uid !== uid) return;
      await markAndDelete(pod, EVICTED, { clock, client });
      return metrics.deleted(clock.monotonicMs() - dueMs);
    } catch (error) {
      if (serverSays(error, isNotFound)) return;
      if (left === 0) throw error;
      await sleep(clock, RETRY_MS);
    }
  }
}

/** Reports that a pod's eviction was cancelled. */
export function tellCancelled(key: string, context: Pick<EvictionContext, "recorder">): void {
  podEvent(key, `Cancelling deletion of Pod ${key}`, context);
}

function podEvent(key: string, message: string, { recorder }: Pick<EvictionContext, "recorder">): void {
  recorder.event({ apiVersion: "v1", kind: "Pod", ...splitKey(key) }, "Normal", "TaintManagerEviction", message);
}
