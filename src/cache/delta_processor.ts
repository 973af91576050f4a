import type { KubeObject } from "../api/mod.ts";
import type { World } from "../base/mod.ts";
import type { Delta } from "./delta.ts";
import { applyDeltas } from "./delta_applier.ts";
import type { DeltaFifo } from "./delta_fifo.ts";
import type { Indexer } from "./indexer.ts";
import type { InformerMetrics } from "./informer_metrics.ts";
import type { Processor } from "./processor.ts";

/** A pop is worth a log line if each of its deltas took this long, in milliseconds, with more than 10 left behind it. */
const SLOW_DELTA_MS = 100;
const SLOW_POP_MAX_MS = 1000;
const SLOW_POP_DEPTH = 10;

/** What a {@link DeltaProcessor} is made of. */
export interface DeltaProcessorOptions<T extends KubeObject> {
  readonly world: World;
  /** The resource's plural, for the log. */
  readonly resource: string;
  readonly fifo: DeltaFifo<T>;
  readonly indexer: Indexer<T>;
  readonly processor: Processor<T>;
  readonly metrics: InformerMetrics;
  /** Told of a pop that failed. */
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
