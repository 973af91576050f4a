import type { KubeObject, Resource } from "../api/mod.ts";
import type { World } from "../base/mod.ts";
import { FrameError, type FrameSink, type Replacement, type WatchFrame } from "../watch/mod.ts";
import type { DeltaFifo } from "./delta_fifo.ts";
import { FrameDecoder } from "./frame_decoder.ts";
import type { Indexer } from "./indexer.ts";
import type { InformerMetrics, SkipReason } from "./informer_metrics.ts";
import { ObjectReplacement } from "./object_replacement.ts";
import type { Transform } from "./projection.ts";
import { TURN_BUDGET_MS } from "./turn_budget.ts";

/** What an {@link ObjectSink} is made of. */
export interface ObjectSinkOptions<T extends KubeObject> {
  readonly world: World;
  readonly resource: Resource<T>;
  readonly fifo: DeltaFifo<T>;
  /** The store that the FIFO's consumer fills; re-lists are staged in its form. */
  readonly indexer: Indexer<T>;
  readonly metrics: InformerMetrics;
  /** Applied in this order to each object. */
  readonly transforms: readonly Transform<T>[];
  /** Objects are cut down to PartialObjectMetadata, also those of a server that sends full ones. */
  readonly metadataOnly: boolean;
}

/** The kind of what a metadata-only cache holds. */
const PARTIAL_METADATA = { group: "meta.k8s.io", version: "v1", kind: "PartialObjectMetadata" };

/**
 * Where a Reflector's frames become objects on their way to a {@link DeltaFifo}.
 *
 * Contract:
 * 1. Objects carry apiVersion and kind, never managedFields, and have been transformed before anybody sees them.
 * 2. A re-list is decoded and indexed as its frames arrive and becomes visible as one delta, when it is committed.
 * 3. An object without a name is counted, logged and skipped; nothing else is lost by it.
 * 4. A transformer that throws on an event loses that event, logged and counted; on a re-list it fails the re-list.
 * 5. Bytes that are not JSON fail with a FrameError, so that the resource is listed again.
 * 6. Long work gives the event loop its turns, and a full FIFO makes the caller wait.
 */
export class ObjectSink<T extends KubeObject> implements FrameSink {
  readonly #options: ObjectSinkOptions<T>;
  readonly #decoder: FrameDecoder;
  #replacement: ObjectReplacement<T> | undefined;

  constructor(options: ObjectSinkOptions<T>) {
    this.#options = options;
    this.#decoder = new FrameDecoder(
      options.metadataOnly ? { ...options.resource, ...PARTIAL_METADATA } : options.resource,
    );
  }

  beginReplace(): Replacement {
    this.#replacement?.abort();
    const { indexer, fifo } = this.#options;
    return this.#replacement = new ObjectReplacement({
      content: indexer.stage(),
      decode: (frame) => this.#decode(frame),
      inSlices: (frames, take) => this.#inSlices(frames, take),
      commit: (content, resourceVersion) => fifo.replace([...content.values()], resourceVersion, { content }),
    });
  }

  events(frames: readonly WatchFrame[]): void | Promise<void> {
    return this.#inSlices(frames, (frame) => this.#queue(frame));
  }

  bookmark(resourceVersion: string): void | Promise<void> {
    if (resourceVersion) return this.#options.fifo.bookmark(resourceVersion);
  }

  resync(): void | Promise<void> {
    return this.#options.fifo.resync();
  }

  #queue(frame: WatchFrame): void | Promise<void> {
    const { fifo } = this.#options;
    let object: T | undefined;
    try {
      object = this.#decode(frame);
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
      return this.#skip(frame, "transform", error);
    }
    if (!object) return;
    switch (frame.type) {
      case "ADDED":
        return fifo.add(object);
      case "MODIFIED":
        return fifo.update(object);
      case "DELETED":
        return fifo.delete(object);
      default:
        throw new FrameError(`Cannot take an event of ${this.#options.resource.plural}: unknown type "${frame.type}"`);
    }
  }

  #decode(frame: WatchFrame): T | undefined {
    const { resource, metadataOnly, transforms } = this.#options;
    const decoded = this.#decoder.decode(frame);
    if (!decoded) return this.#skip(frame, "no-name");
    // The API server's word that these are objects of this resource is all there is; T is its generated type.
    let object = (metadataOnly ? partialMetadata(decoded) : decoded) as T;
    try {
      for (const transform of transforms) object = transform(object);
      if (!object.metadata?.name) throw new TypeError("its metadata.name was removed");
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new TransformError(`Cannot transform an object of ${resource.plural}: ${why}`, { cause });
    }
    return object;
  }

  #skip(frame: WatchFrame, reason: SkipReason, err?: unknown): undefined {
    const { world, resource, metrics } = this.#options;
    metrics.skipped(reason);
    world.log.error("Skipped an object from the API server", {
      resource: resource.plural,
      event: frame.type,
      resourceVersion: frame.resourceVersion,
      reason,
      ...err ? { err } : {},
    });
  }

  /** Gives each frame to `take`; returns a promise only where the FIFO is full or time is up. */
  #inSlices(
    frames: readonly WatchFrame[],
    take: (frame: WatchFrame) => void | Promise<void>,
    from = 0,
  ): void | Promise<void> {
    const { clock } = this.#options.world;
    const startMs = clock.monotonicMs();
    for (let i = from; i < frames.length; i++) {
      const room = take(frames[i]);
      if (room) return room.then(() => this.#inSlices(frames, take, i + 1));
      if (i + 1 < frames.length && clock.monotonicMs() - startMs > TURN_BUDGET_MS) {
        return clock.nextTurn().then(() => this.#inSlices(frames, take, i + 1));
      }
    }
  }
}

/** A transformer threw. A FrameError, so that it ends the re-list in which it happened. */
class TransformError extends FrameError {}

function partialMetadata({ metadata }: KubeObject): KubeObject {
  return { kind: PARTIAL_METADATA.kind, apiVersion: "meta.k8s.io/v1", metadata };
}
