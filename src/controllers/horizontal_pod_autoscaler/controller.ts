import { HORIZONTALPODAUTOSCALERS, PODS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { AutoscalerContext } from "./context.ts";
import { autoscalerHandler, IntervalLimiter } from "./handlers.ts";
import { AutoscalerMetrics } from "./metrics.ts";
import { metricsApi } from "./metrics_api/mod.ts";
import { SelectorRegistry } from "./selector_registry.ts";
import { syncAutoscaler } from "./sync.ts";
import { Scales } from "./target.ts";

export const NAME = "horizontal-pod-autoscaler-controller";
/** The component in its events, and the name of its client. */
export const CLIENT_NAME = "horizontal-pod-autoscaler";
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

/** The flags of the autoscaler. Times in milliseconds. */
export interface AutoscalerOptions {
  readonly workers: number;
  /** How often every autoscaler is synced. */
  readonly syncPeriodMs: number;
  /** How long a recommendation delays scaling down. */
  readonly downscaleStabilizationMs: number;
  /** How far usage may deviate from its target, as a fraction. */
  readonly tolerance: number;
  /** How long after its start a pod's CPU usage may not reflect its load. */
  readonly cpuInitializationMs: number;
  /** A pod that became unready this soon after its start has never been ready. */
  readonly initialReadinessMs: number;
}

export function buildAutoscaler(
  context: ControllerContext,
  { workers, syncPeriodMs: periodMs, downscaleStabilizationMs, ...settings }: AutoscalerOptions,
): Controller {
  const { world, metrics, informers, journal, mapper, gates } = context;
  const autoscalers = informers.informer(HORIZONTALPODAUTOSCALERS);
  const pods = informers.informer(PODS, READ_OF_PODS);
  const client = context.clients.client(CLIENT_NAME);
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
    recorder: context.recorder(CLIENT_NAME),
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
      scalesToZero: gates.has("HPAScaleToZero"),
      hasOwnTolerance: gates.has("HPAConfigurableTolerance"),
      hasPodLevel: gates.has("PodLevelResources"),
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
    workers,
    sync: (key, { signal }) => syncAutoscaler(key, working, signal),
  });
}
