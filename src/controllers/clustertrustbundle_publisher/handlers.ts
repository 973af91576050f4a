import type { CertificatesV1beta1ClusterTrustBundle as ClusterTrustBundle } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

/** All bundles share one key. */
export const KEY = "";

/** Every change of a bundle queues the check of all of them. */
export function bundleHandler(queue: Pick<WorkQueue, "add">): EventHandler<ClusterTrustBundle> {
  const kind = "clustertrustbundle";
  return {
    onAdd: (bundle) => queue.add(KEY, cause(kind, bundle, "added")),
    onUpdate: (before, bundle) => queue.add(KEY, cause(kind, bundle, changeOf(before, bundle))),
    onDelete: (deleted) => queue.add(KEY, cause(kind, deletedKey(deleted), "deleted")),
  };
}
