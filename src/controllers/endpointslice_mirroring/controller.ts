import { ENDPOINTS, ENDPOINTSLICES, SERVICES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import {
  decideByRetries,
  ownSlices,
  SliceCounts,
  sliceHandler,
  sliceLimiter,
  WrittenSlices,
} from "../endpoint_slices/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { MirroringContext } from "./context.ts";
import { endpointsHandler, serviceHandler } from "./handlers.ts";
import { MirroringMetrics } from "./metrics.ts";
import { MANAGER } from "./mirrored_slice.ts";
import { syncEndpoints } from "./sync.ts";

export const NAME = "endpointslice-mirroring-controller";
export const CLIENT_NAME = "endpointslicemirroring-controller";
/** The component in its events. */
const EVENT_COMPONENT = "endpoint-slice-mirroring-controller";
const LONGEST_RETRY_MS = 100_000;

/** The controller's flags. */
export interface MirroringOptions {
  readonly workers: number;
  readonly mostEndpoints: number;
  readonly batchPeriodMs: number;
}

export function buildMirroringController(
  context: ControllerContext,
  { workers, mostEndpoints, batchPeriodMs }: MirroringOptions,
): Controller {
  const { world, metrics, informers, journal } = context;
  const endpoints = informers.informer(ENDPOINTS);
  const slices = informers.informer(ENDPOINTSLICES);
  const services = informers.informer(SERVICES);

  const queue = new WorkQueue({
    world,
    metrics,
    name: "endpoint_slice_mirroring",
    limiter: sliceLimiter(world.clock, LONGEST_RETRY_MS),
  });
  const written = new WrittenSlices(world.clock);
  const syncing: MirroringContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(EVENT_COMPONENT, CLIENT_NAME),
    services: services.lister,
    endpoints: endpoints.lister,
    slices: ownSlices(slices, MANAGER),
    written,
    counts: new SliceCounts({
      metrics,
      subsystem: "endpoint_slice_mirroring_controller",
      of: "Endpoints",
      stability: "ALPHA",
      mostEndpoints,
      fewestSlices: 0,
    }),
    metrics: new MirroringMetrics(metrics, world.clock),
    mostEndpoints,
  };
  const slicesOfOthers = sliceHandler({ log: world.log, manager: MANAGER, written, queue, delayMs: batchPeriodMs });
  return queueController({
    name: NAME,
    world,
    journal,
    resource: ENDPOINTS,
    queue,
    caches: [
      endpoints.addEventHandler(endpointsHandler(queue)),
      slices.addEventHandler(slicesOfOthers),
      services.addEventHandler(serviceHandler(queue)),
    ],
    workers,
    sync: (key) => syncing.metrics.run(() => syncEndpoints(key, syncing)),
    onError: decideByRetries(queue, world.log),
  });
}
