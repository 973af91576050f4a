import { ENDPOINTS, PODS, SERVICES } from "../../api/mod.ts";
import { waitForCacheSync } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController, together } from "../running/mod.ts";
import { indexPods, PodChanges, SERVICE_POD_FIELDS, TriggerTimes } from "../service_pods/mod.ts";
import type { EndpointsContext } from "./context.ts";
import { endpointsHandler, queueLeftovers, serviceHandler } from "./handlers.ts";
import { SupersededVersions } from "./superseded_versions.ts";
import { syncEndpoints } from "./sync.ts";

export const NAME = "endpoints-controller";
/** The name of its client and of the component in its events. */
export const CLIENT_NAME = "endpoint-controller";
const MAX_RETRIES = 15;
/** The fields of Services that are read. */
const SERVICE_FIELDS = [
  "spec.type",
  "spec.selector",
  "spec.ports",
  "spec.clusterIP",
  "spec.ipFamilies",
  "spec.publishNotReadyAddresses",
];

/** What the flags say. */
interface Options {
  readonly workers: number;
  readonly batchPeriodMs: number;
}

export function buildEndpointsController(
  context: ControllerContext,
  { workers, batchPeriodMs }: Options,
): Controller {
  const { world, metrics, informers, journal } = context;
  const services = informers.informer(SERVICES, SERVICE_FIELDS);
  const pods = informers.informer(PODS, SERVICE_POD_FIELDS);
  indexPods(pods);
  const endpoints = informers.informer(ENDPOINTS); // whole objects, because they are written back
  const queue = new WorkQueue({ world, name: "endpoint", metrics });
  const working: EndpointsContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(CLIENT_NAME),
    services: services.lister,
    pods: pods.indexer,
    endpoints: endpoints.lister,
    triggerTimes: new TriggerTimes(),
    superseded: new SupersededVersions(),
  };
  const podChanges = new PodChanges({ world, services, queue, batchPeriodMs });
  const caches = [
    services.addEventHandler(serviceHandler(queue)),
    pods.addEventHandler(podChanges.handler),
    endpoints.addEventHandler(endpointsHandler(queue)),
  ];
  const syncing = queueController({
    name: NAME,
    world,
    journal,
    resource: SERVICES,
    queue,
    caches,
    workers,
    sync: (key) => syncEndpoints(key, working),
    onError: (key, err) => {
      if (queue.numRequeues(key) < MAX_RETRIES) {
        world.log.verbose(2, "Error syncing endpoints, retrying", { err, service: key });
        return "retry";
      }
      world.log.error("Dropping service out of the queue", { err, service: key });
      return "forget";
    },
  });
  const sweeping: Controller = {
    run: async (signal) => {
      if (await waitForCacheSync(signal, ...caches)) queueLeftovers(endpoints.lister, queue);
    },
  };
  return together(sweeping, syncing, podChanges); // queued before anything is synced, so that each key is synced once
}
