/** How many different causes a key carries; the rest is only counted. */
export const MAX_CAUSES = 8;

const NONE: readonly string[] = [];

/** A cause that comes true when a delay has passed, such as a deadline; a plain text is true when it is given. */
export interface Due {
  readonly due: string;
}

/** Why a key is added. */
export type Cause = string | Due;

/**
 * Why a key is in the queue: a bounded set of texts.
 *
 * Contract:
 * 1. The causes are distinct and in the order in which they came.
 * 2. There are never more than {@link MAX_CAUSES}; each further one only raises `dropped`.
 * 3. A cause that is due later is none before its time; `ripen` leaves out what has not come true.
 */
export class Causes {
  #texts: string[] | undefined;
  /** Texts that come true later: when, by the monotonic clock. As bounded as the others. */
  #due: Map<string, number> | undefined;
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

  /** Adds what comes true at `atMs`; the earliest of several times counts. */
  addLater({ due }: Due, atMs: number): void {
    this.#due ??= new Map();
    const earlier = this.#due.get(due);
    if (earlier === undefined && this.#due.size >= MAX_CAUSES) this.#dropped++;
    else this.#due.set(due, Math.min(atMs, earlier ?? atMs));
  }

  /** Makes causes of what has come true by `nowMs`, and forgets the rest: the key is worked on before. */
  ripen(nowMs: number): void {
    if (!this.#due) return;
    for (const [text, atMs] of this.#due) if (atMs <= nowMs) this.add(text);
    this.#due = undefined;
  }

  addAll(other: Causes): void {
    for (const text of other.texts) this.add(text);
    this.#dropped += other.dropped;
  }
}
