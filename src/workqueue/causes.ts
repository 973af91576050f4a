/** How many different causes a key carries; the rest is only counted. */
export const MAX_CAUSES = 8;

const NONE: readonly string[] = [];

/**
 * Why a key is in the queue: a bounded set of texts.
 *
 * Contract:
 * 1. The causes are distinct and in the order in which they came.
 * 2. There are never more than {@link MAX_CAUSES}; each further one only raises `dropped`.
 */
export class Causes {
  #texts: string[] | undefined;
  #dropped = 0;

  /** The causes kept. Do not change. */
  get texts(): readonly string[] {
    return this.#texts ?? NONE;
  }

  /** How many came when the set was full and were not in it. */
  get dropped(): number {
    return this.#dropped;
  }

  add(text: string): void {
    if (!this.#texts) this.#texts = [text];
    else if (this.#texts.includes(text)) return;
    else if (this.#texts.length < MAX_CAUSES) this.#texts.push(text);
    else this.#dropped++;
  }

  addAll(other: Causes): void {
    for (const text of other.texts) this.add(text);
    this.#dropped += other.dropped;
  }
}
