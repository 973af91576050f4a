import { ENDPOINTSLICES, NODES, PODS, SERVICES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import {
  decideByRetries,
  ownSlices,
  SliceCounts,
  sliceHandler,
  sliceLimiter,
  WrittenSlices,
} from "../endpoint_slices/mod.ts";
import { type Controller, type ControllerContext, parentHandler, queueController, together } from "../running/mod.ts";
import { indexPods, PodChanges, SERVICE_POD_FIELDS, TriggerTimes } from "../service_pods/mod.ts";
import type { EndpointSliceContext } from "./context.ts";
import { nodeHandler } from "./handlers.ts";
import { PopulatedHints } from "./hints/populated_hints.ts";
import { ServiceMetrics } from "./service_metrics.ts";
import { MANAGER } from "./service_slices.ts";
import { syncService } from "./sync.ts";

export const NAME = "endpointslice-controller";
/** The component in its events. */
const EVENT_COMPONENT = "endpoint-slice-controller";
const LONGEST_RETRY_MS = 1_000_000;
/** Other clients change slices in batches; without a delay, each change would cause a write. */
const SHORTEST_SLICE_DELAY_MS = 1000;
const NODE_FIELDS = ["status.conditions", "status.allocatable"];

/** The controller's flags. */
export interface EndpointSliceOptions {
  readonly workers: number;
  readonly mostEndpoints: number;
  readonly batchPeriodMs: number;
}

export function buildEndpointSliceController(
  context: ControllerContext,
  { workers, mostEndpoints, batchPeriodMs }: EndpointSliceOptions,
): Controller {
  const { world, metrics, informers, journal } = context;
  const services = informers.informer(SERVICES);
  const pods = informers.informer(PODS, SERVICE_POD_FIELDS);
  indexPods(pods);
  const nodes = informers.informer(NODES, NODE_FIELDS);
  const slices = informers.informer(ENDPOINTSLICES);

  const queue = new WorkQueue({
    world,
    metrics,
    name: "endpoint_slice",
    limiter: sliceLimiter(world.clock, LONGEST_RETRY_MS),
  });
  const looks = new WorkQueue({ world });
  const written = new WrittenSlices(world.clock);
  const syncing: EndpointSliceContext = {
    world,
    client: context.clients.client(NAME),
    recorder: context.recorder(EVENT_COMPONENT, NAME),
    services: services.lister,
    pods: pods.indexer,
    nodes: nodes.lister,
    slices: ownSlices(slices, MANAGER),
    written,
    triggerTimes: new TriggerTimes(),
    hints: new PopulatedHints({ world, nodes: nodes.lister }),
    counts: new SliceCounts({
      metrics,
      subsystem: "endpoint_slice_controller",
      of: "Service",
      stability: "BETA",
      mostEndpoints,
      fewestSlices: 1,
    }),
    metrics: new ServiceMetrics(metrics),
    mostEndpoints,
  };
  const podChanges = new PodChanges({ world, services, queue, batchPeriodMs });
  const delayMs = Math.max(SHORTEST_SLICE_DELAY_MS, batchPeriodMs);
  const slicesOfOthers = sliceHandler({ log: world.log, manager: MANAGER, written, queue, delayMs });
  const caches = [
    services.addEventHandler(parentHandler({ kind: "service", queue })),
    pods.addEventHandler(podChanges.handler),
    slices.addEventHandler({
      ...slicesOfOthers,
      // Those of the initial list are compared when their Services are synced, all of which are queued anyway.
      onAdd: (slice, isInInitialList) => isInInitialList ? undefined : slicesOfOthers.onAdd?.(slice, false),
    }),
    nodes.addEventHandler(nodeHandler(looks)),
  ];
  const common = { world, journal, caches };
  return together(
    podChanges,
    queueController({
      ...common,
      name: NAME,
      resource: SERVICES,
      queue,
      workers,
      sync: (key) => syncing.metrics.run(() => syncService(key, syncing)),
      onError: decideByRetries(queue, world.log),
    }),
    queueController({
      ...common,
      name: `${NAME}/nodes`,
      queue: looks,
      workers: 1,
      sync: (_key, { causes }) => queueOverloaded(syncing, queue, causes.texts[0]),
    }),
  );
}

/** Checks the nodes and queues the Services whose endpoints in some zone now get too much traffic. */
async function queueOverloaded(
  { hints }: Pick<EndpointSliceContext, "hints">,
  queue: Pick<WorkQueue, "add">,
  why: string,
): Promise<void> {
  await hints.lookAtNodes();
  for (const key of await hints.overloaded()) queue.add(key, why);
}
