import type { Resource } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { Client } from "../client/mod.ts";
import { type FrameSink, listWatchOf, Reflector } from "../watch/mod.ts";

/** The source of an informer's frames: a Reflector in this thread, or a hub in another one. */
export interface FrameSource {
  /** Keeps `sink` up to date until `signal` aborts; resolves then. */
  run(sink: FrameSink, signal: AbortSignal): Promise<void>;
  /** How long the server has been silent, in milliseconds, if known. */
  readonly stalenessMs?: number;
}

/** Options of {@link ReflectorSource}. */
export interface ReflectorSourceOptions {
  readonly world: World;
  readonly client: Client;
  readonly resource: Resource;
  /** Watches only this namespace. */
  readonly namespace?: string;
  /** Sent with every list and watch. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Lists and watches metadata only: the objects are PartialObjectMetadata. */
  readonly metadataOnly?: boolean;
  readonly metrics?: MetricsRegistry;
  /** The label `name` of the metrics. */
  readonly name?: string;
  /** A stream that is silent for this long is closed and resumed. Default: the Reflector's. */
  readonly progressDeadlineMs?: number;
  /** Whether to request lists as streams if the server supports it; default true. */
  readonly watchList?: boolean;
}

/** Frames from the API server, by a Reflector in this thread. */
export class ReflectorSource implements FrameSource {
  readonly #options: ReflectorSourceOptions;
  #reflector: Reflector | undefined;

  constructor(options: ReflectorSourceOptions) {
    this.#options = options;
  }

  get stalenessMs(): number | undefined {
    return this.#reflector?.stalenessMs;
  }

  run(sink: FrameSink, signal: AbortSignal): Promise<void> {
    const { world, client, resource, metadataOnly, metrics, name, progressDeadlineMs, watchList, ...query } =
      this.#options;
    const { namespace, labelSelector, fieldSelector } = query;
    const listWatch = listWatchOf(client, resource, { namespace, labelSelector, fieldSelector, metadataOnly });
    this.#reflector = new Reflector({
      world,
      resource,
      listWatch,
      sink,
      metadataOnly,
      metrics,
      name,
      progressDeadlineMs,
      watchList,
    });
    return this.#reflector.run(signal);
  }
}
