import type { Clock } from "../../base/mod.ts";
import { type Failure, failureAfter, FORGOTTEN_AFTER_MS, isBackingOff, retryAtMs } from "./operation_backoff.ts";
import type { Start } from "./pending_operations.ts";

/** The target of an operation. */
export interface OperationKey {
  /** By its unique name. */
  readonly volume: string;
  /** Empty if it is on the volume on all nodes. */
  readonly node: string;
}

/** The options of {@link NestedOperations}. */
export interface NestedOperationsOptions {
  readonly clock: Clock;
  /** Called when an operation has ended and its key is free again. */
  onEnd?(key: OperationKey): void;
}

interface Operation {
  key: OperationKey;
  name: string;
  isRunning: boolean;
  failure?: Failure;
}

/**
 * Background operations on volumes, each on one node or on all of them. Upstream:
 * `pkg/volume/util/nestedpendingoperations`, whose keys may name a pod, too; controllers never do.
 *
 * Contract:
 * 1. Operations on one volume run at the same time only if each is on one node, and no two on the same.
 * 2. An operation that failed is not started again for 500 ms, twice as long after each further failure, and 122 s at
 *    most.
 * 3. An operation with another name does not wait for that; its delay starts over.
 * 4. An operation that succeeds starts over.
 * 5. A failure on a node counts for the whole volume and the other way round, unless there is one of the very same key.
 * 6. A failure that is not retried for an hour is forgotten.
 */
export class NestedOperations {
  readonly #clock: Clock;
  readonly #onEnd: NestedOperationsOptions["onEnd"];
  /** By volume, then node. */
  readonly #operations = new Map<string, Map<string, Operation>>();
  readonly #running = new Set<Promise<void>>();
  /** In the order in which they failed. */
  readonly #failed = new Set<Operation>();

  constructor({ clock, onEnd }: NestedOperationsOptions) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Whether an operation with this key would have to wait for a running one. */
  isRunning(key: OperationKey): boolean {
    return this.#match(key)?.isRunning ?? false;
  }

  /** When a failed operation of this name may be restarted, by the monotonic clock; `undefined` if it may be now. */
  retryAtMs(key: OperationKey, name: string): number | undefined {
    const operation = this.#match(key);
    if (!operation?.failure || operation.name !== name) return undefined;
    return isBackingOff(operation.failure, this.#clock.monotonicMs()) ? retryAtMs(operation.failure) : undefined;
  }

  /**
   * Starts an operation, unless one is running for the key or it may not be retried yet. A rejection counts as failure.
   */
  start(key: OperationKey, name: string, run: () => Promise<void>): Start {
    this.#forget();
    const before = this.#match(key);
    if (before?.isRunning) return "running";
    if (this.retryAtMs(key, name) !== undefined) return "backing off";
    if (before) this.#remove(before);
    const failure = before?.name === name ? before.failure : undefined;
    const operation: Operation = { key, name, isRunning: true, failure };
    this.#add(operation);
    const running = this.#run(operation, run).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return "started";
  }

  /** Resolves when none is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(operation: Operation, run: () => Promise<void>): Promise<void> {
    const [{ status }] = await Promise.allSettled([Promise.resolve().then(run)]);
    operation.isRunning = false;
    if (status === "fulfilled") {
      this.#remove(operation);
    } else {
      operation.failure = failureAfter(operation.failure, this.#clock.monotonicMs());
      this.#failed.add(operation);
    }
    this.#onEnd?.(operation.key);
  }

  /** A running operation if there is one, else the one with the very same key, else the first. */
  #match({ volume, node }: OperationKey): Operation | undefined {
    const operations = this.#operations.get(volume);
    if (!operations) return undefined;
    const same = operations.get(node);
    if (node) {
      const whole = operations.get("");
      return whole?.isRunning ? whole : same ?? whole;
    }
    let first: Operation | undefined;
    for (const operation of operations.values()) {
      if (operation.isRunning) return operation;
      first ??= operation;
    }
    return same ?? first;
  }

  #add(operation: Operation): void {
    const { volume, node } = operation.key;
    const operations = this.#operations.get(volume) ?? new Map<string, Operation>();
    this.#operations.set(volume, operations.set(node, operation));
  }

  #remove(operation: Operation): void {
    const { volume, node } = operation.key;
    this.#failed.delete(operation);
    const operations = this.#operations.get(volume);
    operations?.delete(node);
    if (operations?.size === 0) this.#operations.delete(volume);
  }

  #forget(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const operation of this.#failed) {
      if (nowMs - operation.failure!.atMs <= FORGOTTEN_AFTER_MS) return;
      this.#remove(operation);
    }
  }
}
