import { type KubeObject, objectKey } from "../../api/mod.ts";
import { TurnBudget, type World } from "../../base/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import type { BinderContext } from "./context.ts";

/** Queues what changes. */
export function queueingHandler<T extends KubeObject>(kind: string, queue: Pick<WorkQueue, "add">): EventHandler<T> {
  return {
    onAdd: (object) => queue.add(objectKey(object), cause(kind, object, "added")),
    onUpdate: (before, object) => queue.add(objectKey(object), cause(kind, object, changeOf(before, object))),
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      queue.add(key, cause(kind, key, "deleted"));
    },
  };
}

const ANEW = "it is looked at again and again";

/**
 * Queues all claims and volumes: not everything they wait for, such as a class, causes an event. Also queues missed
 * deletions: the answer to a write may arrive after the deletion was processed.
 */
export async function queueAll(
  { claims, shownClaims, claimQueue, volumes, shownVolumes, volumeQueue, signal }: Pick<
    BinderContext,
    "claims" | "shownClaims" | "claimQueue" | "volumes" | "shownVolumes" | "volumeQueue" | "signal"
  >,
  { clock }: Pick<World, "clock">,
): Promise<void> {
  const budget = new TurnBudget(clock);
  const queue = async (keys: readonly string[], to: Pick<WorkQueue, "add">) => {
    for (const key of keys) {
      if (budget.spent) await budget.nextTurn();
      if (signal.aborted) return;
      to.add(key, ANEW);
    }
  };
  await queue([...shownClaims.keys(), ...claims.keysBehind(shownClaims)], claimQueue);
  await queue([...shownVolumes.keys(), ...volumes.keysBehind(shownVolumes)], volumeQueue);
}
