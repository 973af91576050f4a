import { NODES, PODS } from "../../api/mod.ts";
import { ensureIndexer, NODE_NAME_INDEX, nodeNameOf } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { EvictionMetrics } from "../evictions/mod.ts";
import { WakingTime } from "../nodes/mod.ts";
import { type Controller, type ControllerContext, journaled, queueController, together } from "../running/mod.ts";
import { evictPod } from "./actions.ts";
import type { TaintEvictionContext } from "./context.ts";
import { nodeHandler, podHandler } from "./handlers.ts";
import { syncNode, syncPod } from "./sync.ts";
import { type Eviction, EvictionTimers } from "./timers.ts";

export const NAME = "taint-eviction-controller";
/** The name of its client and account, shared with node-lifecycle-controller. */
export const CLIENT_NAME = "node-controller";
export const METRICS = {
  prefix: "taint_eviction_controller",
  controller: "TaintEvictionController",
  between: "a taint effect has been activated for the Pod and its deletion",
};
const WORKERS = 8;

export function buildTaintEvictionController(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const { clock, log } = world;
  const pods = informers.informer(PODS, ["spec.nodeName", "spec.tolerations"]);
  const nodes = informers.informer(NODES, ["spec.taints"]);
  ensureIndexer(pods, NODE_NAME_INDEX, nodeNameOf);

  const recorder = context.recorder(NAME, CLIENT_NAME);
  const evicting = {
    world,
    client: context.clients.client(CLIENT_NAME),
    recorder,
    metrics: new EvictionMetrics(metrics, METRICS),
  };
  const evict = async (eviction: Eviction, dueMs: number) => {
    const work = { controller: NAME, kind: PODS.kind, key: eviction.key, cause: eviction.cause };
    try {
      await journaled(work, { world, journal }, () => evictPod(eviction, dueMs, evicting));
    } catch (error) {
      log.error("Cannot evict pod, will wait until its node's taints or it change", { err: error, pod: eviction.key });
    }
  };
  const time = new WakingTime(clock);
  const timers = new EvictionTimers({ clock, time, evict });
  const queue = new WorkQueue({ world, name: "noexec_taint_node", metrics });
  const podQueue = new WorkQueue({ world, name: "noexec_taint_pod", metrics });
  const syncing: TaintEvictionContext = {
    world,
    recorder,
    nodes: nodes.lister,
    pods: pods.lister,
    podIndexer: pods.indexer,
    changed: new Set(),
    tainted: new Map(),
    timers,
  };
  const caches = [
    nodes.addEventHandler(nodeHandler(queue, syncing)),
    pods.addEventHandler(podHandler(podQueue)),
  ];
  const common = { world, journal, caches, workers: WORKERS };
  const working = together(
    queueController({ ...common, name: NAME, resource: NODES, queue, sync: (name) => syncNode(name, syncing) }),
    queueController({ ...common, name: `${NAME}/pods`, queue: podQueue, sync: (item) => syncPod(item, syncing) }),
  );
  return {
    async run(signal) {
      await Promise.all([time.run(signal), working.run(signal)]);
      await timers.end();
    },
  };
}
