/**
 * Limits how many things happen at the same time.
 *
 * Contract:
 * 1. No more than `limit` of the tasks given to {@link Slots.run} are under way.
 * 2. {@link Slots.free} resolves when another may begin.
 * 3. {@link Slots.idle} resolves when none is under way.
 */
export class Slots {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts `work`, which must not reject; call it after {@link Slots.free}. */
  run(work: () => Promise<void>): void {
    const running = work().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async free(): Promise<void> {
    while (this.#running.size >= this.#limit) await this.#running.values().next().value;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
