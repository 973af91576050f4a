import { type KubeObject, objectKey } from "../api/mod.ts";
import type { World } from "../base/mod.ts";
import { type Delta, isObjectDelta, type ObjectDelta, type WholeDelta } from "./delta.ts";
import type { DeltaFifo } from "./delta_fifo.ts";
import type { Indexer } from "./indexer.ts";
import type { InformerMetrics } from "./informer_metrics.ts";
import type { Notification } from "./notification.ts";
import type { Processor } from "./processor.ts";
import { DeletedFinalStateUnknown } from "./tombstone.ts";

/** A pop is logged if each of its deltas took this long, in milliseconds, with more than 10 waiting. */
const SLOW_DELTA_MS = 100;
const SLOW_POP_MAX_MS = 1000;
const SLOW_POP_DEPTH = 10;

/** Options of {@link DeltaProcessor}. */
export interface DeltaProcessorOptions<T extends KubeObject> {
  readonly world: World;
  /** The resource's plural, for the log. */
  readonly resource: string;
  readonly fifo: DeltaFifo<T>;
  readonly indexer: Indexer<T>;
  readonly processor: Processor<T>;
  readonly metrics: InformerMetrics;
  /** Called with a pop's failure. */
  readonly onError: (what: string, error: unknown) => void;
}

/**
 * Takes the deltas of one informer from its FIFO, pop by pop: into its store first, then to its handlers.
 *
 * Contract:
 * 1. A pop that cannot be processed is reported and dropped; the next one is processed.
 *
 * Upstream: `k8s.io/client-go/tools/cache/controller.go` (processLoop).
 */
export class DeltaProcessor<T extends KubeObject> {
  readonly #options: DeltaProcessorOptions<T>;

  constructor(options: DeltaProcessorOptions<T>) {
    this.#options = options;
  }

  /** Runs until the FIFO is closed and empty. */
  async run(): Promise<void> {
    const { fifo, onError } = this.#options;
    const process = (deltas: readonly Delta<T>[], isInInitialList: boolean) => this.#process(deltas, isInInitialList);
    for (;;) {
      try {
        if (!await fifo.pop(process)) return;
      } catch (error) {
        onError("Deltas could not be processed; they are dropped", error);
      }
    }
  }

  #process(deltas: readonly Delta<T>[], isInInitialList: boolean): void | Promise<void> {
    const { world, indexer, processor } = this.#options;
    const startMs = world.clock.monotonicMs();
    const distributing = processor.distribute(applyDeltas(indexer, deltas, isInInitialList));
    if (distributing) return distributing.then(() => this.#processed(deltas.length, startMs));
    this.#processed(deltas.length, startMs);
  }

  #processed(count: number, startMs: number): void {
    const { world, resource, fifo, metrics } = this.#options;
    const tookMs = world.clock.monotonicMs() - startMs;
    metrics.popped(tookMs);
    if (fifo.length <= SLOW_POP_DEPTH || tookMs <= Math.min(SLOW_DELTA_MS * count, SLOW_POP_MAX_MS)) return;
    world.log.info("Processing of deltas is slow", {
      resource,
      deltas: count,
      tookMs: Math.round(tookMs),
      queued: fifo.length,
    });
  }
}

/**
 * Applies one pop of a DeltaFifo to the store and returns the handlers' notifications. The store is changed when the
 * function returns; the notifications may be read later, but before another delta is applied.
 * Upstream: `k8s.io/client-go/tools/cache/controller.go` (processDeltasInBatch, processReplacedAllInfo).
 */
function applyDeltas<T extends KubeObject>(
  indexer: Indexer<T>,
  deltas: readonly Delta<T>[],
  isInInitialList: boolean,
): Iterable<Notification<T>> {
  const notifications: Notification<T>[] = [];
  for (const delta of deltas) {
    if (!isObjectDelta(delta)) return applyWhole(indexer, delta, isInInitialList); // comes alone
    notifications.push(applyObject(indexer, delta, isInInitialList));
  }
  return notifications;
}

function applyObject<T extends KubeObject>(
  indexer: Indexer<T>,
  delta: ObjectDelta<T>,
  isInInitialList: boolean,
): Notification<T> {
  if (delta.type === "Deleted") {
    const before = indexer.delete(delta.object);
    const { object } = delta;
    const isKeyOnly = object instanceof DeletedFinalStateUnknown && object.object === undefined;
    return { kind: "delete", object: isKeyOnly ? new DeletedFinalStateUnknown(object.key, before) : object };
  }
  const oldObject = indexer.add(delta.object);
  return oldObject
    ? { kind: "update", oldObject, newObject: delta.object }
    : { kind: "add", object: delta.object, isInInitialList };
}

function applyWhole<T extends KubeObject>(
  indexer: Indexer<T>,
  delta: WholeDelta<T>,
  isInInitialList: boolean,
): Iterable<Notification<T>> {
  switch (delta.type) {
    case "Bookmark":
      indexer.bookmark(delta.resourceVersion);
      return [];
    case "SyncAll":
      return replayOf(indexer.list());
    case "ReplacedAll":
      return replace(indexer, delta, isInInitialList);
  }
}

function* replayOf<T>(objects: readonly T[]): Iterable<Notification<T>> {
  for (const object of objects) yield { kind: "update", oldObject: object, newObject: object };
}

function replace<T extends KubeObject>(
  indexer: Indexer<T>,
  { objects, resourceVersion, content, keep = [] }: WholeDelta<T> & { readonly type: "ReplacedAll" },
  isInInitialList: boolean,
): Iterable<Notification<T>> {
  const now = content ?? indexer.stage();
  if (!content) { for (const object of objects) now.put(objectKey(object), object); }
  for (const key of keep) {
    const kept = now.has(key) ? undefined : indexer.get(key);
    if (kept) now.put(key, kept);
  }
  const before = indexer.swap(now, resourceVersion);
  return (function* () {
    for (const [key, object] of before.entries()) {
      if (!now.has(key)) yield { kind: "delete", object: new DeletedFinalStateUnknown(key, object) };
    }
    for (const object of objects) {
      const oldObject = before.get(objectKey(object));
      if (oldObject) yield { kind: "update", oldObject, newObject: object };
      else yield { kind: "add", object, isInInitialList };
    }
  })();
}
