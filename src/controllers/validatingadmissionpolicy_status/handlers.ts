import { objectKey, type ValidatingAdmissionPolicy } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

/** Queues policies that are added or updated; a deleted one needs no status. */
export function policyHandler(queue: Pick<WorkQueue, "add">): EventHandler<ValidatingAdmissionPolicy> {
  const kind = "validatingadmissionpolicy";
  return {
    onAdd: (policy) => queue.add(objectKey(policy), cause(kind, policy, "added")),
    onUpdate: (before, policy) => queue.add(objectKey(policy), cause(kind, policy, changeOf(before, policy))),
  };
}
