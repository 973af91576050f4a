import { HORIZONTALPODAUTOSCALERS, PODS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import {
  type Controller,
  type ControllerContext,
  type ControllerDescriptor,
  defineController,
  queueController,
} from "../running/mod.ts";
import type { AutoscalerContext } from "./context.ts";
import { autoscalerHandler, IntervalLimiter } from "./handlers.ts";
import { AutoscalerMetrics } from "./metrics.ts";
import { metricsApi } from "./metrics_api/mod.ts";
import { SelectorRegistry } from "./selector_registry.ts";
import { syncAutoscaler } from "./sync.ts";
import { Scales } from "./target.ts";

const NAME = "horizontal-pod-autoscaler-controller";
/** What its events carry, and what its client is called. */
const CLIENT = "horizontal-pod-autoscaler";
const READ_OF_PODS = [
  ...["spec.containers", "spec.initContainers"].flatMap((containers) => [
    `${containers}.name`,
    `${containers}.resources`,
  ]),
  "spec.initContainers.restartPolicy",
  "spec.resources",
  "spec.overhead",
  "status.phase",
  "status.conditions",
  "status.startTime",
];

/** Gives targets the replicas that metrics ask for. Upstream: `pkg/controller/podautoscaler`. */
export const HORIZONTAL_POD_AUTOSCALER_CONTROLLER: ControllerDescriptor = defineController(NAME, buildController);

function buildController(context: ControllerContext): Controller {
  const { world, metrics, informers, journal, mapper, options } = context;
  const { horizontalPodAutoscalerSyncPeriodMs: periodMs, disabledGates } = options;
  const { downscaleStabilizationMs, ...settings } = options.horizontalPodAutoscaler;
  const autoscalers = informers.informer(HORIZONTALPODAUTOSCALERS);
  const pods = informers.informer(PODS, READ_OF_PODS);
  const client = context.clients.client(CLIENT);
  const queue = new WorkQueue({
    world,
    name: "horizontalpodautoscaler",
    metrics,
    limiter: new IntervalLimiter(periodMs),
  });
  const selectors = new SelectorRegistry();
  const working: AutoscalerContext = {
    world,
    client,
    recorder: context.recorder(CLIENT),
    autoscalers: autoscalers.lister,
    pods: pods.lister,
    queue,
    scales: new Scales({ world, client, mapper }),
    selectors,
    metricsApi: metricsApi({ clock: world.clock, client, mapper, versionPeriodMs: periodMs }),
    metrics: new AutoscalerMetrics(metrics, () => selectors.size),
    settings: {
      ...settings,
      downscaleWindowMs: downscaleStabilizationMs,
      hasOwnTolerance: !disabledGates?.has("HPAConfigurableTolerance"),
      hasPodLevel: !disabledGates?.has("PodLevelResources"),
    },
    histories: new Map(),
  };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: HORIZONTALPODAUTOSCALERS,
    queue,
    caches: [autoscalers.addEventHandler(autoscalerHandler(working), { resyncPeriodMs: periodMs }), pods],
    workers: options.concurrentHorizontalPodAutoscalerSyncs,
    sync: (key, { signal }) => syncAutoscaler(key, working, signal),
  });
}
