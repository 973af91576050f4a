import type { Timer, World } from "../../base/mod.ts";

/** What a {@link DelayedActions} is made of. */
export interface DelayedActionsOptions {
  readonly world: World;
  /** Actions that run at the same time. */
  readonly workers: number;
  /** Does what is due for a key. A rejection is logged and the action repeated. */
  run(key: string): Promise<void>;
}

const RETRY_MS = 1000;

/**
 * Actions that are done some time later, a few at a time.
 *
 * Contract:
 * 1. A key is run once its delay has passed and a worker is free; scheduling it again before that changes nothing.
 * 2. An action that fails is run again after a second, until it succeeds or its key is cancelled.
 * 3. After `close` no timer is left, and nothing that has not begun is run any more.
 */
export class DelayedActions {
  readonly #options: DelayedActionsOptions;
  readonly #timers = new Map<string, Timer>();
  readonly #due = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: DelayedActionsOptions) {
    this.#options = options;
  }

  schedule(key: string, delayMs: number): void {
    if (this.#isClosed || this.#timers.has(key) || this.#due.has(key)) return;
    const timer = this.#options.world.clock.setTimer(delayMs, () => {
      this.#timers.delete(key);
      this.#due.add(key);
      this.#runDue();
    });
    this.#timers.set(key, timer);
  }

  cancel(key: string): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
  }

  /** Cancels what has not begun and waits for what has. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#due.clear();
    await Promise.all(this.#running);
  }

  #runDue(): void {
    for (const key of this.#due) {
      if (this.#isClosed || this.#running.size >= this.#options.workers) return;
      this.#due.delete(key);
      const running = this.#run(key).finally(() => {
        this.#running.delete(running);
        this.#runDue();
      });
      this.#running.add(running);
    }
  }

  async #run(key: string): Promise<void> {
    const { run, world } = this.#options;
    try {
      await run(key);
    } catch (err) {
      if (this.#isClosed) return;
      world.log.verbose(2, "Simulated node could not act; will try again", { key, err });
      this.schedule(key, RETRY_MS);
    }
  }
}
