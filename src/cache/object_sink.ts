import { type KubeObject, objectKey, type Resource } from "../api/mod.ts";
import { nextInLine, TURN_BUDGET_MS, type World } from "../base/mod.ts";
import { FrameError, type FrameSink, peekKey, type Replacement, type WatchFrame } from "../watch/mod.ts";
import type { DeltaFifo } from "./delta_fifo.ts";
import { FrameDecoder } from "./frame_decoder.ts";
import type { Indexer } from "./indexer.ts";
import type { InformerMetrics } from "./informer_metrics.ts";
import { ObjectReplacement } from "./object_replacement.ts";
import type { Transform } from "./projection.ts";
import type { SetAside, SetAsideObject } from "./set_aside.ts";
import { DeletedFinalStateUnknown } from "./tombstone.ts";
import { UnreadableError } from "./object_faults.ts";

/** Options of {@link ObjectSink}. */
export interface ObjectSinkOptions<T extends KubeObject> {
  readonly world: World;
  readonly resource: Resource<T>;
  readonly fifo: DeltaFifo<T>;
  /** The store that the FIFO's consumer fills; re-lists are staged in its form. */
  readonly indexer: Indexer<T>;
  readonly metrics: InformerMetrics;
  /** Keeps the objects that cannot be read. */
  readonly setAside: SetAside;
  /** Applied in this order to each object. */
  readonly transforms: readonly Transform<T>[];
  /** Reduces objects to PartialObjectMetadata, even if the server sends full ones. */
  readonly metadataOnly: boolean;
}

/** How many unreadable objects are logged: a server may send millions. */
const MOST_LINES = 100;
const LINES_PERIOD_MS = 10_000;

/** The kind of the objects in a metadata-only cache. */
const PARTIAL_METADATA = { group: "meta.k8s.io", version: "v1", kind: "PartialObjectMetadata" };

/**
 * Turns a Reflector's frames into objects for a {@link DeltaFifo}.
 *
 * Contract:
 * 1. Objects carry apiVersion and kind, never managedFields, and have been transformed before anybody sees them.
 * 2. A re-list is decoded and indexed as its frames arrive and becomes visible as one delta, when it is committed.
 * 3. An object that cannot be read, or whose transformer throws, costs itself only: it is set aside, counted and logged
 *    by name, and read again when it changes. Nothing is listed anew for it.
 * 4. The cache keeps the version before of an object that is set aside, if it had one, through re-lists too, and
 *    removes it when the object is deleted.
 * 5. One whose name cannot be found either is counted and logged.
 * 6. No more than a hundred objects are logged in ten seconds; all are counted.
 * 7. Long work gives the event loop its turns.
 * 8. A full FIFO makes the caller wait.
 */
export class ObjectSink<T extends KubeObject> implements FrameSink {
  readonly #options: ObjectSinkOptions<T>;
  readonly #decoder: FrameDecoder;
  #replacement: ObjectReplacement<T> | undefined;
  #lines = 0;
  #linesSinceMs = -Infinity;

  constructor(options: ObjectSinkOptions<T>) {
    this.#options = options;
    this.#decoder = new FrameDecoder(
      options.metadataOnly ? { ...options.resource, ...PARTIAL_METADATA } : options.resource,
    );
  }

  beginReplace(): Replacement {
    this.#replacement?.abort();
    const { indexer, fifo, setAside } = this.#options;
    return this.#replacement = new ObjectReplacement({
      content: indexer.stage(),
      decode: (frame) => this.#decode(frame),
      onUnread: (frame, error) => this.#unread(frame, error),
      inSlices: (frames, take) => this.#inSlices(frames, take),
      commit: (content, unread, resourceVersion) => {
        setAside.replace(unread);
        return fifo.replace([...content.values()], resourceVersion, { content, keep: [...unread.keys()] });
      },
    });
  }

  events(frames: readonly WatchFrame[]): void | Promise<void> {
    return this.#inSlices(frames, (frame) => this.#queue(frame));
  }

  bookmark(resourceVersion: string): void | Promise<void> {
    if (resourceVersion) return this.#options.fifo.bookmark(resourceVersion);
  }

  #queue(frame: WatchFrame): void | Promise<void> {
    const { fifo, setAside } = this.#options;
    let object: T;
    try {
      object = this.#decode(frame);
    } catch (error) {
      return this.#queueUnread(frame, error);
    }
    if (setAside.size > 0) setAside.remove(objectKey(object));
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

  /** For a deleted object, only its deletion matters. */
  #queueUnread(frame: WatchFrame, error: unknown): void | Promise<void> {
    const { fifo, setAside } = this.#options;
    const unread = this.#unread(frame, error);
    if (!unread) return;
    if (frame.type !== "DELETED") return setAside.add(unread);
    setAside.remove(unread.key);
    return fifo.delete(new DeletedFinalStateUnknown<T>(unread.key, undefined));
  }

  /** @throws {UnreadableError} If it cannot be read, or a transformer throws. */
  #decode(frame: WatchFrame): T {
    const { metadataOnly, transforms } = this.#options;
    const decoded = this.#decoder.decode(frame);
    // Only the API server guarantees that these are objects of this resource; T is its generated type.
    let object = (metadataOnly ? partialMetadata(decoded) : decoded) as T;
    try {
      for (const transform of transforms) object = transform(object);
      if (!object.metadata?.name) throw new TypeError("its metadata.name was removed");
      return object;
    } catch (cause) {
      throw new UnreadableError("transform", "its transformer failed", { cause });
    }
  }

  /** Counts and logs an object that cannot be read, unless it is deleted. */
  #unread(frame: WatchFrame, error: unknown): SetAsideObject | undefined {
    if (!(error instanceof UnreadableError)) throw error;
    const { world, resource, metrics } = this.#options;
    const key = peekKey(frame);
    const unread = key === undefined ? undefined : { key, reason: error.message };
    if (unread && frame.type === "DELETED") return unread; // nothing else about it matters any more
    const reason = unread ? error.reason : "no-name";
    metrics.skipped(reason);
    if (!this.#mayLog()) return unread;
    world.log.error(unread ? "Set an object aside" : "Skipped an object from the API server", {
      resource: resource.plural,
      object: key,
      event: frame.type,
      resourceVersion: frame.resourceVersion,
      reason,
      err: error.cause ?? error,
    });
    return unread;
  }

  #mayLog(): boolean {
    const nowMs = this.#options.world.clock.monotonicMs();
    if (nowMs - this.#linesSinceMs >= LINES_PERIOD_MS) {
      this.#linesSinceMs = nowMs;
      this.#lines = 0;
    }
    return this.#lines++ < MOST_LINES;
  }

  /** Passes each frame to `take`; returns a promise only if the FIFO is full or the turn is over. */
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
        return nextInLine(clock).then(() => this.#inSlices(frames, take, i + 1));
      }
    }
  }
}

function partialMetadata({ metadata }: KubeObject): KubeObject {
  return { kind: PARTIAL_METADATA.kind, apiVersion: "meta.k8s.io/v1", metadata };
}
