import type { Clock } from "../../base/mod.ts";

const FIRST_MS = 1_000;
const LONGEST_MS = 15 * 60_000;
/** An entry that is unused for this long starts over. */
const FORGOTTEN_AFTER_MS = 2 * LONGEST_MS;
const COLLECTED_EVERY_MS = 60_000;

interface Entry {
  delayMs: number;
  updatedAtMs: number;
}

/**
 * Keeps a DaemonSet from endlessly recreating a pod that always fails on its node.
 *
 * Contract:
 * 1. A key is held back for a second after its first use, twice as long after each further one, at most for 15 minutes.
 * 2. A key that is not used for half an hour starts over.
 * 3. Entries that would start over take no memory for longer than a minute of use.
 *
 * Upstream: `k8s.io/client-go/util/flowcontrol/backoff.go`.
 */
export class FailedPodBackoff {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  #collectedAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Entries that are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** The total time for which a key is held back, in milliseconds; `undefined` if it is not. */
  heldForMs(key: string): number | undefined {
    const entry = this.#entries.get(key);
    if (!entry || this.#isForgotten(entry)) return undefined;
    return this.#clock.monotonicMs() - entry.updatedAtMs < entry.delayMs ? entry.delayMs : undefined;
  }

  /** Uses the key, which is held back from now on. */
  advance(key: string): void {
    this.#collect();
    const entry = this.#entries.get(key);
    const delayMs = entry && !this.#isForgotten(entry) ? Math.min(2 * entry.delayMs, LONGEST_MS) : FIRST_MS;
    this.#entries.set(key, { delayMs, updatedAtMs: this.#clock.monotonicMs() });
  }

  #isForgotten({ updatedAtMs }: Entry): boolean {
    return this.#clock.monotonicMs() - updatedAtMs > FORGOTTEN_AFTER_MS;
  }

  #collect(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#collectedAtMs < COLLECTED_EVERY_MS) return;
    this.#collectedAtMs = nowMs;
    for (const [key, entry] of this.#entries) if (this.#isForgotten(entry)) this.#entries.delete(key);
  }
}
