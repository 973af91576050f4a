import type { KubeObject, Resource } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { FrameSource } from "./frame_source.ts";
import type { Indexers } from "./index_table.ts";
import type { Transform } from "./projection.ts";
import type { SetAsideBoard } from "./set_aside.ts";

/** Options of `SharedInformer`. */
export interface SharedInformerOptions<T extends KubeObject> {
  readonly world: World;
  readonly resource: Resource<T>;
  readonly source: FrameSource;
  /** The default period for replaying the whole cache to handlers, in milliseconds; 0 (the default) is never. */
  readonly resyncPeriodMs?: number;
  /** Objects are PartialObjectMetadata; T is then that. */
  readonly metadataOnly?: boolean;
  /** Reduces objects to the fields to keep. */
  readonly projection?: Transform<T>;
  readonly indexers?: Indexers<T>;
  readonly metrics?: MetricsRegistry;
  /** Collects the unreadable objects while the informer runs. */
  readonly setAside?: SetAsideBoard;
  /** The program that runs it, used as the label `name` of metrics. Default `kubeloop`. */
  readonly name?: string;
}
