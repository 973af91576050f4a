import type { Clock, Timer } from "../../base/mod.ts";

/** Thousands of ordinary answers. */
const MOST_BYTES = 4 << 20;
/** The overhead of an entry. */
const ENTRY_BYTES = 200;

/** Options of {@link ExpiringCache}. */
export interface ExpiringCacheOptions<T> {
  readonly clock: Clock;
  /** How long an answer is valid; 0 to not cache it. */
  ttlMs(value: T): number;
  /** A value's size in characters. */
  size(value: T): number;
  /** Ends the cache. */
  readonly signal: AbortSignal;
}

interface Entry<T> {
  readonly value: T;
  readonly untilMs: number;
  readonly bytes: number;
}

/**
 * Caches answers of the API server for a limited time.
 *
 * Contract:
 * 1. Callers that want the same key at the same time cause one request.
 * 2. An answer is kept for as long as `ttlMs` says of it; a failure is not kept.
 * 3. An expired answer is freed, whether or not anybody asks again.
 * 4. Keys and answers take 4 MiB at most: then the oldest is forgotten, and what takes more than a sixteenth is not
 *    kept.
 */
export class ExpiringCache<T> {
  readonly #options: ExpiringCacheOptions<T>;
  readonly #kept = new Map<string, Entry<T>>();
  readonly #asking = new Map<string, Promise<T>>();
  #bytes = 0;
  #sweep: Timer | undefined;

  constructor(options: ExpiringCacheOptions<T>) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#sweep?.cancel(), { once: true });
  }

  /** The size of keys and answers. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && this.#options.clock.monotonicMs() < kept.untilMs) return Promise.resolve(kept.value);
    let asking = this.#asking.get(key);
    if (!asking) {
      asking = this.#ask(key, ask).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  async #ask(key: string, ask: () => Promise<T>): Promise<T> {
    const value = await ask();
    const { clock, ttlMs, size, signal } = this.#options;
    const keptMs = ttlMs(value);
    const bytes = 2 * (key.length + size(value)) + ENTRY_BYTES;
    if (keptMs <= 0 || bytes > MOST_BYTES / 16 || signal.aborted) return value;
    this.#forget(key);
    this.#kept.set(key, { value, untilMs: clock.monotonicMs() + keptMs, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#forget(oldest);
    }
    this.#sweep ??= clock.setTimer(keptMs, () => this.#freeExpired());
    return value;
  }

  #freeExpired(): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    let nextMs = Infinity;
    for (const [key, { untilMs }] of this.#kept) {
      if (untilMs <= nowMs) this.#forget(key);
      else nextMs = Math.min(nextMs, untilMs);
    }
    this.#sweep = nextMs === Infinity ? undefined : clock.setTimer(nextMs - nowMs, () => this.#freeExpired());
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
