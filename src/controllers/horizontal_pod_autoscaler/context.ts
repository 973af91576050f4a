import type { World } from "../../base/mod.ts";
import type { AutoscalingV2HorizontalPodAutoscaler, Pod } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import type { StartPeriods } from "./calculation/mod.ts";
import type { AutoscalerMetrics } from "./metrics.ts";
import type { MetricsApi } from "./metrics_api/mod.ts";
import type { ScalingHistory } from "./scaling/mod.ts";
import type { SelectorRegistry } from "./selector_registry.ts";
import type { StatusDraft } from "./status.ts";
import type { Scales } from "./target.ts";

export type Autoscaler = AutoscalingV2HorizontalPodAutoscaler;

/** What the flags say. */
export interface AutoscalerSettings extends StartPeriods {
  /** How far usage may deviate from its target, as a fraction. */
  readonly tolerance: number;
  /** How long a recommendation delays scaling down. */
  readonly downscaleWindowMs: number;
  /** Gate `HPAScaleToZero`. */
  readonly scalesToZero: boolean;
  /** Gate `HPAConfigurableTolerance`. */
  readonly hasOwnTolerance: boolean;
  /** Gate `PodLevelResources`. */
  readonly hasPodLevel: boolean;
}

/** The inputs and clients of an autoscaler's sync. */
export interface AutoscalerContext {
  readonly world: World;
  readonly client: Pick<Client, "updateStatus">;
  readonly recorder: EventRecorder;
  readonly autoscalers: Pick<Lister<Autoscaler>, "get">;
  readonly pods: Pick<Lister<Pod>, "list">;
  readonly queue: Pick<WorkQueue, "addRateLimited" | "forget">;
  readonly scales: Scales;
  readonly selectors: SelectorRegistry;
  readonly metricsApi: MetricsApi;
  readonly metrics: AutoscalerMetrics;
  readonly settings: AutoscalerSettings;
  /** By the autoscaler's key. */
  readonly histories: Map<string, ScalingHistory>;
}

/** The state of one sync. */
export interface SyncState extends AutoscalerContext {
  readonly key: string;
  readonly autoscaler: Autoscaler;
  readonly draft: StatusDraft;
  readonly signal?: AbortSignal;
}
