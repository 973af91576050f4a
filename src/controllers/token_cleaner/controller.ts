import { SECRETS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import { BOOTSTRAP_TOKENS } from "../token_secrets/mod.ts";
import type { CleanerContext } from "./context.ts";
import { tokenHandler } from "./handlers.ts";
import { syncToken } from "./sync.ts";

export const NAME = "token-cleaner-controller";
export const CLIENT_NAME = "token-cleaner";
export const QUEUE = "token_cleaner";

export function buildTokenCleaner(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const secrets = informers.informer(SECRETS, ["type", "data"], BOOTSTRAP_TOKENS);
  const queue = new WorkQueue({ world, name: QUEUE, metrics });
  const syncing: CleanerContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    secrets: secrets.lister,
    queue,
  };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: SECRETS,
    queue,
    caches: [secrets.addEventHandler(tokenHandler(queue), { resyncPeriodMs: 0 })],
    workers: 1,
    sync: (key) => syncToken(key, syncing),
  });
}
