import { Deferred } from "../../base/mod.ts";

/**
 * Lets workers through or makes them wait.
 *
 * Contract:
 * 1. `close` resolves when no work is running; until `open` none starts.
 * 2. Work that fails has ended.
 *
 * Upstream: workerLock of `pkg/controller/resourcequota/resource_quota_controller.go`.
 */
export class WorkerGate {
  #working = 0;
  #opened: Deferred | undefined;
  #idle: Deferred | undefined;

  /** Runs the work once the gate is open. */
  async pass(work: () => Promise<void>): Promise<void> {
    while (this.#opened) await this.#opened.promise;
    this.#working++;
    try {
      await work();
    } finally {
      if (--this.#working === 0) this.#idle?.resolve();
    }
  }

  async close(): Promise<void> {
    this.#opened ??= new Deferred();
    if (this.#working === 0) return;
    this.#idle ??= new Deferred();
    await this.#idle.promise;
    this.#idle = undefined;
  }

  open(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }
}
