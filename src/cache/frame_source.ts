import type { Resource } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { Client } from "../client/mod.ts";
import { type FrameSink, listWatchOf, Reflector } from "../watch/mod.ts";

/** Where an informer's frames come from: a Reflector in this thread, or a hub in another one. */
export interface FrameSource {
  /** Keeps `sink` up to date until `signal` aborts; resolves then. */
  run(sink: FrameSink, signal: AbortSignal): Promise<void>;
  /** For how long the server has said nothing, in milliseconds, as far as the source knows. */
  readonly stalenessMs?: number;
}

/** What a {@link ReflectorSource} watches, and how. */
export interface ReflectorSourceOptions {
  readonly world: World;
  readonly client: Client;
  readonly resource: Resource;
  /** Watches only this namespace. */
  readonly namespace?: string;
  /** Goes with every list and watch. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Lists and watches metadata only: the objects are PartialObjectMetadata. */
  readonly metadataOnly?: boolean;
  readonly metrics?: MetricsRegistry;
  /** The label `name` of the metrics. */
  readonly name?: string;
  /** A stream that brings no byte for this long is cut and resumed. Default: the Reflector's. */
  readonly progressDeadlineMs?: number;
  /** Whether lists are asked for as streams where the server can; default true. */
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
