import {
  DEPLOYMENTS,
  PODDISRUPTIONBUDGETS,
  PODS,
  REPLICASETS,
  REPLICATIONCONTROLLERS,
  STATEFULSETS,
} from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController, together } from "../running/mod.ts";
import type { DisruptionContext } from "./context.ts";
import { budgetHandler, podHandler } from "./handlers.ts";
import { syncStalePod } from "./stale_condition.ts";
import { syncBudget } from "./sync.ts";

export const NAME = "disruption-controller";
/** The component in its events. */
const EVENT_COMPONENT = "controllermanager";

export function buildDisruptionController(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const budgets = informers.informer(PODDISRUPTIONBUDGETS);
  const pods = informers.informer(PODS); // whole: their status is written back
  const replicationControllers = informers.informer(REPLICATIONCONTROLLERS);
  const replicaSets = informers.informer(REPLICASETS);
  const deployments = informers.informer(DEPLOYMENTS);
  const statefulSets = informers.informer(STATEFULSETS);

  const queue = new WorkQueue({ world, name: "disruption", metrics });
  const rechecks = new WorkQueue({ world, name: "disruption_recheck", metrics });
  const stalePods = new WorkQueue({ world, name: "stale_pod_disruption", metrics });
  const working: DisruptionContext = {
    world,
    client: context.clients.client(NAME),
    mapper: context.mapper,
    recorder: context.recorder(EVENT_COMPONENT, NAME),
    budgets: budgets.lister,
    pods: pods.lister,
    replicationControllers: replicationControllers.lister,
    replicaSets: replicaSets.lister,
    deployments: deployments.lister,
    statefulSets: statefulSets.lister,
    queue,
    rechecks,
    stalePods,
  };
  const caches = [
    pods.addEventHandler(podHandler(working)),
    budgets.addEventHandler(budgetHandler(working)),
    replicationControllers,
    replicaSets,
    deployments,
    statefulSets,
  ];
  const common = { world, journal, caches, workers: 1 };
  const parts = [
    queueController({
      ...common,
      name: NAME,
      resource: PODDISRUPTIONBUDGETS,
      queue,
      sync: (key) => syncBudget(key, working),
    }),
    queueController({
      ...common,
      name: `${NAME}/rechecks`,
      queue: rechecks,
      sync: (key, { causes }) => Promise.resolve(queue.addRateLimited(key, causes.texts[0])),
    }),
    queueController({
      ...common,
      name: `${NAME}/stale-pods`,
      resource: PODS,
      queue: stalePods,
      sync: (key) => syncStalePod(key, working),
    }),
  ];
  return together(...parts);
}
