import type { Clock } from "../../base/mod.ts";
import { type Failure, failureAfter, FORGOTTEN_AFTER_MS, isBackingOff, retryAtMs } from "./operation_backoff.ts";

/** The result of an attempt to start an operation. */
export type Start = "started" | "running" | "backing off";

/** The options of {@link PendingOperations}. */
export interface PendingOperationsOptions {
  readonly clock: Clock;
  /** Called when an operation has ended and its key is free again; `error` is set if it failed. */
  onEnd?(name: string, error?: unknown): void;
}

/**
 * Background operations by name. Upstream: `pkg/util/goroutinemap`.
 *
 * Contract:
 * 1. One operation runs at a time for each name.
 * 2. An operation that failed is not started again for 500 ms, twice as long after each further failure, and 122 s at
 *    most.
 * 3. An operation that succeeds starts over.
 * 4. A failure that is not retried for an hour is forgotten.
 */
export class PendingOperations {
  readonly #clock: Clock;
  readonly #onEnd: PendingOperationsOptions["onEnd"];
  readonly #running = new Map<string, Promise<void>>();
  /** In the order in which they happened. */
  readonly #failures = new Map<string, Failure>();

  constructor({ clock, onEnd }: PendingOperationsOptions) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** When a failed operation may be restarted, by the monotonic clock; `undefined` if it may be now. */
  retryAtMs(name: string): number | undefined {
    const failure = this.#failures.get(name);
    return failure && isBackingOff(failure, this.#clock.monotonicMs()) ? retryAtMs(failure) : undefined;
  }

  /** Starts an operation, unless it is running or may not be retried yet. A rejection counts as failure. */
  start(name: string, operation: () => Promise<void>): Start {
    this.#forget();
    if (this.#running.has(name)) return "running";
    if (this.retryAtMs(name) !== undefined) return "backing off";
    this.#running.set(name, this.#run(name, operation));
    return "started";
  }

  /** Resolves when none is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #run(name: string, operation: () => Promise<void>): Promise<void> {
    const [outcome] = await Promise.allSettled([Promise.resolve().then(operation)]);
    this.#running.delete(name);
    const previous = this.#failures.get(name);
    this.#failures.delete(name);
    if (outcome.status === "fulfilled") return this.#onEnd?.(name);
    this.#failures.set(name, failureAfter(previous, this.#clock.monotonicMs()));
    this.#onEnd?.(name, outcome.reason);
  }

  #forget(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [name, { atMs }] of this.#failures) {
      if (nowMs - atMs <= FORGOTTEN_AFTER_MS) return;
      // Its failure still counts while it runs again.
      if (!this.#running.has(name)) this.#failures.delete(name);
    }
  }
}
