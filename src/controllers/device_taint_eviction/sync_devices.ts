import { TurnBudget } from "../../base/mod.ts";
import type { ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Causes } from "../../workqueue/mod.ts";
import type { DeviceEvictionContext } from "./context.ts";
import { POD_ITEM } from "./items.ts";
import { claimsWith, keysOfUsers } from "./users.ts";

/** Queues the users of devices whose taints have changed. */
export async function syncChangedDevices(context: DeviceEvictionContext, causes: Causes): Promise<void> {
  const budget = new TurnBudget(context.world.clock);
  for (const device of context.changed) {
    context.changed.delete(device);
    for (const claim of claimsWith(context.claimIndexer, device)) {
      if (budget.spent) await budget.nextTurn();
      queueUsers(claim, context, causes);
    }
  }
}

/** Queues the users of all devices. */
export async function syncAllClaims(context: DeviceEvictionContext, causes: Causes): Promise<void> {
  const budget = new TurnBudget(context.world.clock);
  for (const claim of context.claims.list()) {
    if (budget.spent) await budget.nextTurn();
    queueUsers(claim, context, causes);
  }
}

function queueUsers(claim: ResourceV1ResourceClaim, context: DeviceEvictionContext, causes: Causes): void {
  if (!claim.status?.allocation) return;
  const why = causes.texts[0];
  for (const key of keysOfUsers(claim, { pods: context.podIndexer, withGroups: context.withGroups })) {
    context.queue.add(POD_ITEM + key, why);
  }
}
