import { DEPLOYMENTS, PODS, REPLICASETS } from "../../api/mod.ts";
import { controllerIndexOf, ensureIndexer, POD_CONTROLLER_INDEX } from "../../cache/mod.ts";
import { isNamespaceTerminating } from "../../client/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { indexReplicaSets } from "../pods/mod.ts";
import { type Controller, type ControllerContext, queueController, serverSays } from "../running/mod.ts";
import type { DeploymentContext } from "./context.ts";
import { deploymentHandler, podHandler, replicaSetHandler } from "./handlers.ts";
import { syncDeployment } from "./sync.ts";

export const NAME = "deployment-controller";
/** How often a failing key is retried, up to 82 s apart, before it must wait for its next event. */
const MAX_RETRIES = 15;

export function buildDeploymentController(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, journal } = context;
  const deployments = informers.informer(DEPLOYMENTS);
  const replicaSets = informers.informer(REPLICASETS);
  const pods = informers.informer(PODS, ["status.phase"]);
  indexReplicaSets(replicaSets);
  ensureIndexer(pods, POD_CONTROLLER_INDEX, controllerIndexOf);

  const queue = new WorkQueue({ world, name: "deployment", metrics });
  const syncing: DeploymentContext = {
    world,
    client: context.clients.client(NAME),
    recorder: context.recorder(NAME),
    queue,
    deployments: deployments.lister,
    replicaSets: replicaSets.lister,
    replicaSetIndexer: replicaSets.indexer,
    pods: pods.indexer,
  };
  const caches = [
    deployments.addEventHandler(deploymentHandler(syncing)),
    replicaSets.addEventHandler(replicaSetHandler(syncing)),
    pods.addEventHandler(podHandler(syncing)),
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    resource: DEPLOYMENTS,
    queue,
    caches,
    workers,
    sync: (key) => syncDeployment(key, syncing),
    onError: (key, error) => decide(key, error, syncing),
  });
}

function decide(key: string, error: unknown, { world: { log }, queue }: DeploymentContext): "retry" | "forget" {
  if (serverSays(error, isNamespaceTerminating)) return "forget";
  if (queue.numRequeues(key) < MAX_RETRIES) {
    log.verbose(2, "Error syncing deployment", { err: error, deployment: key });
    return "retry";
  }
  log.error("Dropping deployment out of the queue", { err: error, deployment: key });
  return "forget";
}
