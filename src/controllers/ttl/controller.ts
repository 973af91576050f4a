import { NODES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import { ClusterSize } from "./cluster_size.ts";
import type { TtlContext } from "./context.ts";
import { nodeHandler } from "./handlers.ts";
import { syncNode } from "./sync.ts";

export const NAME = "ttl-controller";
const WORKERS = 5;

export function buildTtlController(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const nodes = informers.informer(NODES, []);
  const queue = new WorkQueue({ world, name: "ttlcontroller", metrics });
  const size = new ClusterSize();
  const working: TtlContext = { world, client: context.clients.client(NAME), nodes: nodes.lister, size };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: NODES,
    queue,
    caches: [nodes.addEventHandler(nodeHandler({ queue, size }))],
    workers: WORKERS,
    sync: (key) => syncNode(key, working),
  });
}
