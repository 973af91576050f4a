import { CLUSTERROLES } from "../../api/mod.ts";
import { ensureIndexer } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { RoleContext } from "./context.ts";
import { roleHandler } from "./handlers.ts";
import { syncRole } from "./sync.ts";

export const NAME = "clusterrole-aggregation-controller";
export const QUEUE = "ClusterRoleAggregator";
const WORKERS = 5;
/** Aggregated roles, all under the same value. */
const AGGREGATED_INDEX = "aggregationRule";

export function buildRoleAggregator(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const roles = informers.informer(CLUSTERROLES);
  ensureIndexer(roles, AGGREGATED_INDEX, (role) => role.aggregationRule ? [AGGREGATED_INDEX] : []);

  const queue = new WorkQueue({ world, name: QUEUE, metrics });
  const syncing: RoleContext = { world, client: context.clients.client(NAME), roles: roles.lister };
  const aggregated = () => roles.indexer.indexKeys(AGGREGATED_INDEX, AGGREGATED_INDEX);
  return queueController({
    name: NAME,
    world,
    journal,
    resource: CLUSTERROLES,
    queue,
    caches: [roles.addEventHandler(roleHandler(queue, aggregated))],
    workers: WORKERS,
    sync: (name) => syncRole(name, syncing),
  });
}
