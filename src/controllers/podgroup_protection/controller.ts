import { PODGROUPS, PODS } from "../../api/mod.ts";
import { ensureIndexer } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { ProtectionContext } from "./context.ts";
import { ACTIVE_POD_INDEX, activeGroupOf } from "./groups_of_pods.ts";
import { groupHandler, podHandler } from "./handlers.ts";
import { syncGroup } from "./sync.ts";

export const NAME = "podgroup-protection-controller";
const READ_OF_PODS = ["spec.schedulingGroup.podGroupName", "status.phase"];

export function buildPodGroupProtection(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const groups = informers.informer(PODGROUPS);
  const pods = informers.informer(PODS, READ_OF_PODS);
  ensureIndexer(pods, ACTIVE_POD_INDEX, activeGroupOf);
  const queue = new WorkQueue({ world, name: "podgroupprotection", metrics });
  const syncing: ProtectionContext = {
    world,
    client: context.clients.client(NAME),
    groups: groups.lister,
    pods: pods.indexer,
  };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: PODGROUPS,
    queue,
    caches: [groups.addEventHandler(groupHandler(queue)), pods.addEventHandler(podHandler(queue))],
    workers: 1,
    sync: (key) => syncGroup(key, syncing),
  });
}
