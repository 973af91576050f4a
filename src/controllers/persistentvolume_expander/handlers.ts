import { objectKey, type PersistentVolumeClaim } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change } from "../running/mod.ts";
import { claimedSize, requestedSize } from "./sizes.ts";

/** Queues bound claims when they appear, request more, or got more. */
export function claimHandler(queue: Pick<WorkQueue, "add">): EventHandler<PersistentVolumeClaim> {
  const enqueue = (claim: PersistentVolumeClaim, what: Change) => {
    if (claim.status?.phase === "Bound") queue.add(objectKey(claim), cause("claim", claim, what));
  };
  return {
    onAdd: (claim) => enqueue(claim, "added"),
    onUpdate: (old, claim) => {
      const hasGrown = [requestedSize, claimedSize].some((size) => size(claim).compare(size(old)) > 0);
      if (hasGrown) enqueue(claim, "updated");
    },
  };
}
