import { LEASES, NODES, PODS } from "../../api/mod.ts";
import { ensureIndexer, NODE_NAME_INDEX, nodeNameOf, waitForNamedCacheSync } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { WakingTime } from "../nodes/mod.ts";
import { type Controller, type ControllerContext, periodically, queueController, together } from "../running/mod.ts";
import { LEASE_NAMESPACE, type LifecycleContext, type LifecycleOptions } from "./context.ts";
import { nodeHandler, podHandler } from "./handlers.ts";
import { NodeMetrics } from "./metrics.ts";
import { HealthMonitor } from "./monitor.ts";
import { syncPod } from "./pod_sync.ts";
import { NodeReleases } from "./releases.ts";
import { syncNode } from "./sync.ts";
import { keepTainting } from "./taint_pass.ts";
import { Zones } from "./zones.ts";

export const NAME = "node-lifecycle-controller";
/** The name of its client, account, and the component in its events. */
export const CLIENT_NAME = "node-controller";
const NODE_WORKERS = 8;
const POD_WORKERS = 4;

export function buildNodeLifecycleController(context: ControllerContext, options: LifecycleOptions): Controller {
  const { world, metrics, informers, journal } = context;
  const nodes = informers.informer(NODES, ["spec.taints", "spec.unschedulable", "status.conditions"]);
  const pods = informers.informer(PODS); // whole: their status is written back
  const leases = informers.informer(LEASES, ["spec.renewTime"], { namespace: LEASE_NAMESPACE });
  ensureIndexer(pods, NODE_NAME_INDEX, nodeNameOf);

  const client = context.clients.client(CLIENT_NAME);
  const queue = new WorkQueue({ world, name: "node_lifecycle_controller", metrics });
  const podQueue = new WorkQueue({ world, name: "node_lifecycle_controller_pods", metrics });
  const working: LifecycleContext = {
    name: NAME,
    world,
    client,
    recorder: context.recorder(CLIENT_NAME),
    options,
    time: new WakingTime(world.clock),
    nodes: nodes.lister,
    pods: pods.lister,
    podIndexer: pods.indexer,
    leases: leases.lister,
    healths: new Map(),
    unmarked: new Set(),
    releases: new NodeReleases({ world, client }),
    metrics: new NodeMetrics(metrics, world.clock),
  };
  const caches = [
    nodes.addEventHandler(nodeHandler(queue, working)),
    pods.addEventHandler(podHandler(podQueue)),
    leases,
  ];
  const common = { world, journal, caches };
  return together(
    queueController({
      ...common,
      name: NAME,
      resource: NODES,
      queue,
      workers: NODE_WORKERS,
      sync: (name) => syncNode(name, working),
    }),
    queueController({
      ...common,
      name: `${NAME}/pods`,
      resource: PODS,
      queue: podQueue,
      workers: POD_WORKERS,
      sync: (key) => syncPod(key, working),
    }),
    monitoring({ ...working, journal, zones: new Zones(working) }, caches),
  );
}

/** Monitors and taints nodes until stopped. */
function monitoring(
  context: LifecycleContext & { readonly journal: ControllerContext["journal"]; readonly zones: Zones },
  caches: Parameters<typeof waitForNamedCacheSync>[1][],
): Controller {
  const { world: { clock, log }, options, time } = context;
  const monitor = new HealthMonitor(context);
  return {
    async run(signal) {
      const keepingTime = time.run(signal);
      if (!await waitForNamedCacheSync({ log, name: NAME, signal }, ...caches)) return await keepingTime;
      await Promise.all([
        keepingTime,
        keepTainting(context, signal),
        periodically({ clock, signal, periodMs: options.nodeMonitorPeriodMs }, () => monitor.pass(signal)),
      ]);
    },
  };
}
