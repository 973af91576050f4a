import { NODES } from "../../api/mod.ts";
import { waitForNamedCacheSync } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import {
  type Controller,
  type ControllerContext,
  periodically,
  queueController,
  sayRunning,
  together,
} from "../running/mod.ts";
import type { CloudNodeContext } from "./context.ts";
import { nodeHandler } from "./handlers.ts";
import { cloudNodeMetrics } from "./metrics.ts";
import { statusPass } from "./status_pass.ts";
import { syncNode } from "./sync.ts";

export const NAME = "cloud-node-controller";
/** The name of its client and account. */
export const CLIENT_NAME = "node-controller";
export const QUEUE = "Nodes";

export interface CloudNodeOptions {
  readonly workers: number;
  /** The same as `workers` if 0. */
  readonly statusWorkers: number;
  readonly statusPeriodMs: number;
}

export function buildCloudNode(context: ControllerContext, options: CloudNodeOptions): Controller | undefined {
  const { world, metrics, informers, journal, cloud } = context;
  if (!cloud?.instances) {
    world.log.warn("failed to start cloud node controller: cloud provider does not support instances");
    return undefined;
  }
  const nodes = informers.informer(NODES, ["spec", "status.addresses", "status.nodeInfo"]);
  const queue = new WorkQueue({ world, name: QUEUE, metrics });
  const caches = [nodes.addEventHandler(nodeHandler(queue))];
  const working: CloudNodeContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    nodes: nodes.lister,
    recorder: context.recorder(NAME, CLIENT_NAME),
    instances: cloud.instances,
    metrics: cloudNodeMetrics(metrics),
  };
  const syncing = queueController({
    name: NAME,
    world,
    journal,
    resource: NODES,
    queue,
    caches,
    workers: options.workers,
    sync: (key, { signal }) => syncNode(key, working, signal),
  });
  const refreshing: Controller = {
    async run(signal) {
      if (!await waitForNamedCacheSync({ log: world.log, name: NAME, signal }, ...caches)) return;
      const periodMs = options.statusPeriodMs;
      await periodically(
        { clock: world.clock, signal, periodMs },
        () => statusPass(working, options.statusWorkers || options.workers, signal),
      );
    },
  };
  const both = together(syncing, refreshing);
  return {
    async run(signal) {
      const ended = sayRunning(context, "cloud-node");
      await both.run(signal).finally(ended);
    },
  };
}
