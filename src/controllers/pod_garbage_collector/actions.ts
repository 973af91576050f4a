import { objectKey, type Pod, PODS } from "../../api/mod.ts";
import type { Cause } from "../../workqueue/mod.ts";
import { journaled, refOf } from "../running/mod.ts";
import type { DeletionContext } from "./context.ts";
import type { Reason } from "./metrics.ts";
import { failurePatch } from "./status.ts";

/**
 * Deletes a pod immediately, after marking it `Failed` if it has not ended. Failures are only logged and counted,
 * because the next pass retries.
 * Upstream: `pkg/controller/podgc/gc_controller.go` (markFailedAndDeletePodWithCondition).
 *
 * @param cause The reason for the journal.
 */
export async function forceDelete(
  pod: Pod,
  { reason, cause }: { readonly reason: Reason; readonly cause: Cause },
  context: DeletionContext,
): Promise<void> {
  const { name: controller, world: { log }, metrics } = context;
  const key = objectKey(pod);
  log.info("PodGC is force deleting Pod", { pod: key });
  let isError = false;
  try {
    const work = { controller, kind: PODS.kind, key, cause };
    await journaled(work, context, () => failAndDelete(pod, reason, context));
  } catch (error) {
    isError = true;
    log.error("Failed to force delete pod", { err: error, pod: key, reason });
  }
  metrics.deleted(pod, reason, { isError });
}

async function failAndDelete(pod: Pod, reason: Reason, { world: { clock }, client }: DeletionContext): Promise<void> {
  const ref = refOf(pod);
  const body = failurePatch(pod, { isNodeGone: reason === "orphaned", nowMs: clock.wallMs() });
  if (body !== undefined) await client.patch(PODS, ref, { type: "strategic", body, subresource: "status" });
  await client.delete(PODS, ref, { gracePeriodSeconds: 0 });
}
