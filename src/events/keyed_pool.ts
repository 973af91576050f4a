/**
 * Runs pieces of work, a limited number at a time.
 *
 * Contract:
 * 1. Pieces with the same key run one after the other, in the order in which they came.
 * 2. `run` may be called when `whenFree` has resolved; then no more than `limit` pieces are there, running or waiting for
 *    their key.
 */
export class KeyedPool {
  readonly #limit: number;
  readonly #last = new Map<string, Promise<void>>();
  #size = 0;
  #wake: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** For one caller at a time. */
  async whenFree(): Promise<void> {
    while (this.#size >= this.#limit) await new Promise<void>((resolve) => this.#wake = resolve);
  }

  /** @param work Must not reject. */
  run(key: string, work: () => Promise<void>): void {
    this.#size++;
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work).finally(() => {
      this.#size--;
      if (this.#last.get(key) === mine) this.#last.delete(key);
      this.#wake?.();
    });
    this.#last.set(key, mine);
  }

  /** Resolves when all that was given so far has ended. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
