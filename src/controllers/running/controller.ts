import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { InformerFactory } from "../../cache/mod.ts";
import type { ClientBuilder, Discovery, RestMapper } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { Journal } from "./journal.ts";
import type { ControllerNeeds, Supplies } from "./needs.ts";

/** A running part of the manager: watches, queues and workers of one controller. */
export interface Controller {
  /**
   * Waits for its caches, then works until `signal` aborts; resolves when its workers have ended.
   * The informers are started by the manager after every controller was built.
   */
  run(signal: AbortSignal): Promise<void>;
  /** What it shows of itself below `/debug/controllers/NAME/`, if anything. */
  readonly debug?: ControllerDebug;
}

/** What a controller shows of itself. */
export interface DebugPage {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Answers a question about a controller's inside.
 *
 * @param path Below the controller's own.
 * @returns `undefined` where there is nothing.
 */
export type ControllerDebug = (path: string, query: URLSearchParams) => Promise<DebugPage> | undefined;

/** The flags that controllers act on, by their upstream meaning. */
export interface ControllerOptions {
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentReplicaSetSyncs: number;
  readonly concurrentReplicationControllerSyncs: number;
  readonly concurrentStatefulSetSyncs: number;
  readonly concurrentDaemonSetSyncs: number;
  /** Gate `MaxUnavailableStatefulSet`. */
  readonly statefulSetMaxUnavailable: boolean;
  readonly concurrentJobSyncs: number;
  readonly concurrentCronJobSyncs: number;
  readonly concurrentTtlAfterFinishedSyncs: number;
  readonly concurrentNamespaceSyncs: number;
  /** How many ended pods may stay; with 0 or less, all may. */
  readonly terminatedPodGcThreshold: number;
  readonly concurrentGcSyncs: number;
  readonly enableGarbageCollector: boolean;
  /** For each of its two queues. */
  readonly concurrentResourceQuotaSyncs: number;
  /** How often the usage of every quota is measured anew, in milliseconds; 0 is never. */
  readonly resourceQuotaSyncPeriodMs: number;
  readonly concurrentHorizontalPodAutoscalerSyncs: number;
  /** How often every autoscaler is looked at, in milliseconds. */
  readonly horizontalPodAutoscalerSyncPeriodMs: number;
  readonly horizontalPodAutoscaler: HorizontalPodAutoscalerOptions;
  /** Feature gates that are off. */
  readonly disabledGates?: ReadonlySet<string>;
  /** Gate `WorkloadWithJob`. */
  readonly schedulesGangs?: boolean;
  /** How often every namespace is looked at again, in milliseconds. */
  readonly namespaceSyncPeriodMs: number;
}

/** The flags of the autoscaler for which 0 has a meaning. Times in milliseconds. */
export interface HorizontalPodAutoscalerOptions {
  /** For how long a recommendation holds up scaling down. */
  readonly downscaleStabilizationMs: number;
  /** By what fraction usage may be off its target. */
  readonly tolerance: number;
  /** For how long after its start a pod's use of processors may say nothing about its load. */
  readonly cpuInitializationMs: number;
  /** A pod that became unready this soon after its start has never been ready. */
  readonly initialReadinessMs: number;
  /** Gate `HPAScaleToZero`. */
  readonly scalesToZero: boolean;
}

/** What a controller is built from. Nothing in here is started yet while controllers are being built. */
export interface ControllerContext extends Supplies {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly clients: ClientBuilder;
  /** Full objects, one informer per resource in the whole process. */
  readonly informers: InformerFactory;
  /** Metadata only, for resources that nobody reads in full. */
  readonly metadataInformers: InformerFactory;
  readonly discovery: Discovery;
  readonly mapper: RestMapper;
  /** Resolves once the factories were started after all controllers were built. */
  readonly informersStarted: Promise<void>;
  readonly options: ControllerOptions;
  /** Hears of every sync. */
  readonly journal: Journal;
  /**
   * A recorder whose events carry `component` as their source, and are sent by the client called `client`, the controller's
   * own; by default they have the same name.
   */
  recorder(component: string, client?: string): EventRecorder;
}

/** A controller that can be built: a row of the registry, or one of your own. */
export interface ControllerDescriptor {
  /** Canonical name, as `--controllers` takes it. */
  readonly name: string;
  /** What it needs beyond reading whole kinds that hold no secrets. */
  readonly needs?: ControllerNeeds;
  /** Registers informers, indexes and handlers; returns `undefined` when the controller has nothing to do here. */
  build(context: ControllerContext): Promise<Controller | undefined> | Controller | undefined;
}
