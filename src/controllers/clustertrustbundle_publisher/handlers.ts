import type { CertificatesV1beta1ClusterTrustBundle as ClusterTrustBundle } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

/** All bundles are one piece of work. */
export const KEY = "";

/** Every change of a bundle leads to a look at all of them. */
export function bundleHandler(queue: Pick<WorkQueue, "add">): EventHandler<ClusterTrustBundle> {
  const kind = "clustertrustbundle";
  return {
    onAdd: (bundle) => queue.add(KEY, cause(kind, bundle, "added")),
    onUpdate: (before, bundle) => queue.add(KEY, cause(kind, bundle, changeOf(before, bundle))),
    onDelete: (deleted) => queue.add(KEY, cause(kind, deletedKey(deleted), "deleted")),
  };
}
