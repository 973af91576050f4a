import type { KubeObject, Resource } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { FrameSource } from "./frame_source.ts";
import type { Indexers } from "./index_table.ts";
import type { Transform } from "./projection.ts";
import type { SetAsideBoard } from "./set_aside.ts";

/** What a `SharedInformer` is made of. */
export interface SharedInformerOptions<T extends KubeObject> {
  readonly world: World;
  readonly resource: Resource<T>;
  readonly source: FrameSource;
  /** How often handlers that do not say otherwise see the whole cache again, in milliseconds; 0 (the default) is never. */
  readonly resyncPeriodMs?: number;
  /** Objects are PartialObjectMetadata; T is then that. */
  readonly metadataOnly?: boolean;
  /** What is kept of each object. */
  readonly projection?: Transform<T>;
  readonly indexers?: Indexers<T>;
  readonly metrics?: MetricsRegistry;
  /** Shows the objects that cannot be read while the informer runs. */
  readonly setAside?: SetAsideBoard;
  /** Who runs it: the label `name` of the metrics. Default `kubeloop`. */
  readonly name?: string;
}
