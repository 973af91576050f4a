import { NAMESPACES, SERVICEACCOUNTS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { AccountContext } from "./context.ts";
import { accountHandler, namespaceHandler } from "./handlers.ts";
import { syncAccounts } from "./sync.ts";

export const NAME = "serviceaccount-controller";
export const CLIENT_NAME = "service-account-controller";
const NO_RESYNC = { resyncPeriodMs: 0 };

/** @param ensured Names of the accounts that every Active namespace must have. */
export function buildServiceAccountController(
  context: ControllerContext,
  ensured: readonly string[] = ["default"],
): Controller {
  const { world, metrics, informers, journal } = context;
  const namespaces = informers.informer(NAMESPACES);
  const accounts = informers.informer(SERVICEACCOUNTS);

  const queue = new WorkQueue({ world, name: "serviceaccount", metrics });
  const syncing: AccountContext = {
    client: context.clients.client(CLIENT_NAME),
    namespaces: namespaces.lister,
    accounts: accounts.lister,
    ensured,
  };
  const caches = [
    accounts.addEventHandler(accountHandler(queue), NO_RESYNC),
    namespaces.addEventHandler(namespaceHandler(queue), NO_RESYNC),
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    resource: NAMESPACES,
    queue,
    caches,
    workers: 1,
    sync: (key) => syncAccounts(key, syncing),
  });
}
