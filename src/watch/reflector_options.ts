import type { Resource } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { FrameSink } from "./frame_sink.ts";
import type { ListWatch } from "./list_watch.ts";

/** What a Reflector is given. Times in milliseconds. */
export interface ReflectorOptions {
  readonly world: World;
  readonly resource: Resource;
  readonly listWatch: ListWatch;
  readonly sink: FrameSink;
  /** Objects come as PartialObjectMetadata; full objects are accepted too, from a server that cannot convert them. */
  readonly metadataOnly?: boolean;
  /** Whether to ask for the initial objects as a stream before falling back to a chunked LIST. Default true. */
  readonly watchList?: boolean;
  /** Objects per page of a LIST. Default: 500 where paging is of use, as upstream decides it. */
  readonly pageSize?: number;
  /** Called with what ended a list or a watch. Default: a log line, quiet for what is expected to happen. */
  readonly onError?: (error: unknown) => void;
  /** A stream that brings no byte for this long is cut. Default 3 minutes: three bookmarks missed. */
  readonly progressDeadlineMs?: number;
  /** The least a watch is asked to last, at least the default of 5 minutes; drawn up to twice this. */
  readonly minWatchTimeoutMs?: number;
  /** The bound of one object. Default 16 MiB. */
  readonly maxFrameBytes?: number;
  readonly metrics?: MetricsRegistry;
  /** Who watches: the label `name` of the metrics. Default `kubeloop`. */
  readonly name?: string;
}
