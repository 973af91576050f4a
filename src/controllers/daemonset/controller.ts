import { CONTROLLERREVISIONS, DAEMONSETS, NODES, PODS } from "../../api/mod.ts";
import {
  ConsistencyStore,
  controllerIndexOf,
  ensureIndexer,
  NODE_NAME_INDEX,
  nodeNameOf,
  POD_CONTROLLER_INDEX,
} from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { Expectations, PodControl } from "../pods/mod.ts";
import { indexRevisions } from "../revisions/mod.ts";
import { type Controller, type ControllerContext, queueController, together, WriteGuard } from "../running/mod.ts";
import type { DaemonSetContext } from "./context.ts";
import { FailedPodBackoff } from "./failed_pod_backoff.ts";
import { daemonSetHandler, nodeHandler, podHandler, revisionHandler } from "./handlers.ts";
import { syncNodeUpdate } from "./node_updates.ts";
import { syncDaemonSet } from "./sync.ts";

export const NAME = "daemonset-controller";
/** The name of its client and account, which differs. */
export const CLIENT_NAME = "daemon-set-controller";

/** The fields of pods that are read: their state, and their current or intended node. */
const READ_OF_PODS = [
  "spec.nodeName",
  "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
  "status.phase",
  "status.conditions",
];

export function buildDaemonSetController(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, gates, journal } = context;
  const daemonSets = informers.informer(DAEMONSETS);
  const revisions = informers.informer(CONTROLLERREVISIONS);
  const pods = informers.informer(PODS, READ_OF_PODS);
  const nodes = informers.informer(NODES, ["spec.taints"]);
  ensureIndexer(pods, POD_CONTROLLER_INDEX, controllerIndexOf);
  ensureIndexer(pods, NODE_NAME_INDEX, nodeNameOf);
  indexRevisions(revisions);

  const client = context.clients.client(CLIENT_NAME);
  const recorder = context.recorder(NAME, CLIENT_NAME);
  const queue = new WorkQueue({ world, name: "daemonset", metrics });
  const nodeQueue = new WorkQueue({ world, name: "daemonset-node-updates", metrics });
  const store = new ConsistencyStore({
    clock: world.clock,
    caches: [[DAEMONSETS, daemonSets], [PODS, pods]],
    metrics,
    metricName: "daemonset_controller_stale_sync_skips_total",
  });
  const syncing: DaemonSetContext = {
    world,
    client,
    recorder,
    podControl: new PodControl({ client, recorder }),
    queue,
    nodeQueue,
    daemonSets: daemonSets.lister,
    nodes: nodes.lister,
    pods: pods.indexer,
    revisions: revisions.indexer,
    expectations: new Expectations(world.clock),
    guard: new WriteGuard(store, DAEMONSETS, { isOff: !gates.has("StaleControllerConsistencyDaemonSet") }),
    failedPods: new FailedPodBackoff(world.clock),
  };
  const caches = [
    daemonSets.addEventHandler(daemonSetHandler(syncing)),
    revisions.addEventHandler(revisionHandler(syncing)),
    pods.addEventHandler(podHandler(syncing)),
    nodes.addEventHandler(nodeHandler(syncing)),
  ];
  const common = { world, journal, caches, workers };
  const working = queueController({
    ...common,
    name: NAME,
    resource: DAEMONSETS,
    queue,
    sync: (key) => syncDaemonSet(key, syncing),
  });
  const watchingNodes = queueController({
    ...common,
    name: `${NAME}/nodes`,
    queue: nodeQueue,
    sync: (name) => syncNodeUpdate(name, syncing),
  });
  return together(working, watchingNodes);
}
