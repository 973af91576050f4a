/** The rate limit for tainting a zone's nodes: one at once, then at the rate. */
class Allowance {
  readonly rate: number;
  #tokens: number;
  #filledMs: number;

  constructor(rate: number, { tokens, nowMs }: { readonly tokens: number; readonly nowMs: number }) {
    this.rate = rate;
    this.#tokens = tokens;
    this.#filledMs = nowMs;
  }

  tryTake(nowMs: number): boolean {
    this.#tokens = Math.min(1, this.#tokens + ((nowMs - this.#filledMs) * this.rate) / 1000);
    this.#filledMs = nowMs;
    // Sums of fractions may fall short of an integer in their last digit.
    if (this.#tokens < 1 - 1e-9) return false;
    this.#tokens--;
    return true;
  }
}

/** The result of a node's turn: done, or to be checked again after a delay in milliseconds. */
export type TaintAttempt = "done" | { readonly retryInMs: number };

/**
 * The nodes of a zone to taint, one after the other.
 *
 * Contract:
 * 1. A node that was added once is not added again until it was removed, also after its turn.
 * 2. Nodes have their turns in the order of their times: when they were added, or are to be looked at again.
 * 3. A turn takes a token, also where the first node is not due yet; there is one at the beginning, then `rate` a
 *    second.
 * 4. With another rate there is a token only if there was one before; with none there is none until the rate changes.
 * 5. A node removed during its turn is not looked at again.
 *
 * Upstream: `pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go`.
 */
export class TaintQueue {
  readonly #now: () => number;
  #allowance: Allowance;
  /** Nodes that wait for their turn, with their times. */
  readonly #waiting = new Map<string, number>();
  /** These, and those that have had it. */
  readonly #known = new Set<string>();

  /** @param now The time in milliseconds. */
  constructor(rate: number, now: () => number) {
    this.#now = now;
    this.#allowance = new Allowance(rate, { tokens: 1, nowMs: now() });
  }

  /** Nodes that wait. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Whether it was not there. */
  add(node: string): boolean {
    if (this.#known.has(node)) return false;
    this.#known.add(node);
    this.#waiting.set(node, this.#now());
    return true;
  }

  /** Whether it was there. */
  remove(node: string): boolean {
    this.#waiting.delete(node);
    return this.#known.delete(node);
  }

  /** Nodes a second; none with 0. */
  setRate(rate: number): void {
    const nowMs = this.#now();
    if (this.#allowance.rate === rate) return;
    const tokens = rate > 0 && this.#allowance.tryTake(nowMs) ? 1 : 0;
    this.#allowance = new Allowance(Math.max(0, rate), { tokens, nowMs });
  }

  /** Gives nodes their turns while there are tokens. */
  async run(attempt: (node: string) => Promise<TaintAttempt>): Promise<void> {
    while (this.#waiting.size > 0 && this.#allowance.tryTake(this.#now())) {
      const [node, dueMs] = this.#first();
      if (this.#now() < dueMs) return;
      const result = await attempt(node);
      if (result === "done") this.#waiting.delete(node);
      else if (this.#waiting.has(node)) this.#waiting.set(node, this.#now() + result.retryInMs);
    }
  }

  #first(): [string, number] {
    let first: [string, number] | undefined;
    for (const entry of this.#waiting) {
      if (!first || entry[1] < first[1]) first = entry;
    }
    return first!;
  }
}
