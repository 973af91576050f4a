import type { Resource } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { FrameSink } from "./frame_sink.ts";
import type { ListWatch } from "./list_watch.ts";

/** Options of a Reflector. Times in milliseconds. */
export interface ReflectorOptions {
  readonly world: World;
  readonly resource: Resource;
  readonly listWatch: ListWatch;
  readonly sink: FrameSink;
  /** Requests PartialObjectMetadata; full objects are also accepted, from servers that cannot convert them. */
  readonly metadataOnly?: boolean;
  /** Whether to ask for the initial objects as a stream before falling back to a chunked LIST. Default true. */
  readonly watchList?: boolean;
  /** Objects per page of a LIST. Default: 500 if paging is useful, by upstream's rules. */
  readonly pageSize?: number;
  /** Called with what ended a list or a watch. Default: a log line, verbose for expected causes. */
  readonly onError?: (error: unknown) => void;
  /** A stream that is silent for this long is closed. Default 3 minutes: three missed bookmarks. */
  readonly progressDeadlineMs?: number;
  /** The shortest watch duration, at least the default of 5 minutes; the actual one is random, up to twice this. */
  readonly minWatchTimeoutMs?: number;
  /** The largest object. Default 16 MiB. */
  readonly maxFrameBytes?: number;
  readonly metrics?: MetricsRegistry;
  /** The program that watches, used as the label `name` of metrics. Default `kubeloop`. */
  readonly name?: string;
}
