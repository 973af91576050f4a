import { type Pod, PODS } from "../../api/mod.ts";
import { refOf } from "../running/mod.ts";
import type { JobContext } from "./context.ts";
import { hasTrackingFinalizer } from "./job_pods.ts";
import { TRACKING_FINALIZER } from "./names.ts";

/**
 * Takes the tracking finalizer off a pod, unless the cache says that it has none.
 *
 * @throws {StatusError} Also if the pod does not exist.
 */
export async function removeFinalizer(
  pod: Pod,
  { client, guard }: Pick<JobContext, "client" | "guard">,
): Promise<void> {
  if (!hasTrackingFinalizer(pod)) return;
  const body = { metadata: { "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER] } };
  guard.wrotePod(await client.patchMetadata(PODS, refOf(pod), { type: "strategic", body }));
}
