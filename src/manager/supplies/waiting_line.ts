/**
 * Lets some work be done at the same time; the rest waits for its turn.
 *
 * Contract:
 * 1. At most `limit` tasks run; the others start in the order in which they came.
 * 2. One whose signal aborts while it waits never begins, and delays nobody.
 */
export class WaitingLine {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0;
  }

  /** @throws {Error} What `work` throws, or why `signal` aborted. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#running >= this.#limit) await this.#turn(signal);
    else this.#running++;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Hands the place over, if somebody waits for it. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#running--;
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(take);
        reject(signal.reason);
      };
      const take = () => {
        this.#waiting.delete(take);
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      this.#waiting.add(take);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
