import type { Timer, World } from "../../base/mod.ts";

/** Options of {@link DelayedActions}. */
export interface DelayedActionsOptions {
  readonly world: World;
  /** How many actions run at the same time. */
  readonly workers: number;
  /** Runs the action for a key. If it rejects, the error is logged and the action repeated. */
  run(key: string): Promise<void>;
}

/** A key whose delay has not passed. */
interface Waiting {
  readonly atMs: number;
  readonly timer: Timer;
}

const RETRY_MS = 1000;

/**
 * Runs actions after a delay, a few at a time.
 *
 * Contract:
 * 1. A key runs once its delay has passed and a worker is free; scheduling it again may bring it forward, but never
 *    postpones it.
 * 2. A key never runs twice at the same time; if it is scheduled meanwhile, it runs again afterwards.
 * 3. A failed action runs again after a second, until it succeeds or its key is cancelled.
 * 4. After `close` no timer is left, and no action starts any more.
 */
export class DelayedActions {
  readonly #options: DelayedActionsOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #due = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: DelayedActionsOptions) {
    this.#options = options;
  }

  schedule(key: string, delayMs: number): void {
    if (this.#isClosed || this.#due.has(key)) return;
    const { clock } = this.#options.world;
    const atMs = clock.monotonicMs() + Math.max(0, delayMs);
    const before = this.#waiting.get(key);
    if (before && before.atMs <= atMs) return;
    before?.timer.cancel();
    const timer = clock.setTimer(delayMs, () => {
      this.#waiting.delete(key);
      this.#due.add(key);
      this.#runDue();
    });
    this.#waiting.set(key, { atMs, timer });
  }

  cancel(key: string): void {
    this.#waiting.get(key)?.timer.cancel();
    this.#waiting.delete(key);
    this.#due.delete(key);
  }

  /** Cancels actions that have not started and waits for the others. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
    this.#due.clear();
    await Promise.all(this.#running.values());
  }

  #runDue(): void {
    for (const key of this.#due) {
      if (this.#isClosed || this.#running.size >= this.#options.workers) return;
      if (this.#running.has(key)) continue;
      this.#due.delete(key);
      this.#running.set(
        key,
        this.#run(key).finally(() => {
          this.#running.delete(key);
          this.#runDue();
        }),
      );
    }
  }

  async #run(key: string): Promise<void> {
    const { run, world } = this.#options;
    try {
      await run(key);
    } catch (err) {
      if (this.#isClosed) return;
      world.log.verbose(2, "Simulated part could not act; will try again", { key, err });
      this.schedule(key, RETRY_MS);
    }
  }
}
