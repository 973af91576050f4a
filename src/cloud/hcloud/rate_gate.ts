import { type Clock, sleep } from "../../base/mod.ts";
import { RetryError } from "../errors.ts";

/** The default limit, in requests per hour. */
const USUAL_LIMIT = 3600;
const HOUR_MS = 3_600_000;
/** The first wait after a refusal, in milliseconds; it doubles with each further refusal. */
const FIRST_WAIT_MS = 1000;
/** How long a request waits here, in milliseconds. One that would wait longer fails and names a time to retry. */
export const PATIENCE_MS = 10_000;
/** When this few remain, requests are spread at the rate at which the API refills them. */
const FEW_REMAINING = 50;

/**
 * All requests pass through it, so that they slow down together.
 *
 * Contract:
 * 1. After a refusal (429) nothing passes for as long as the answer says, or else for a second, then two, then four …,
 *    but never beyond `RateLimit-Reset`. Then one request passes each time that long, until one is answered otherwise.
 * 2. While few requests remain (`RateLimit-Remaining`), they are spread: one for each that the API gives out anew.
 * 3. Whoever would wait longer than ten seconds gets a `RetryError` with that time instead.
 */
export class RateGate {
  readonly #clock: Clock;
  #openAtMs = 0;
  #waitMs = 0;
  #pauseMs = 0;
  #refusals = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until a request may be sent.
   *
   * @returns A ticket for {@link heard}.
   * @throws {RetryError} If the wait would be too long.
   */
  async pass(signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      const nowMs = this.#clock.monotonicMs();
      const leftMs = this.#openAtMs - nowMs;
      if (leftMs <= 0) {
        const pauseMs = Math.max(this.#waitMs, this.#pauseMs);
        if (pauseMs > 0) this.#openAtMs = nowMs + pauseMs;
        return this.#refusals;
      }
      if (leftMs > PATIENCE_MS) {
        throw new RetryError("the rate limit of the Hetzner Cloud API is used up", leftMs);
      }
      await sleep(this.#clock, leftMs, signal);
    }
  }

  /** Records the answer to the request with `ticket`. */
  heard(ticket: number, status: number, headers: Headers): void {
    const limit = numberIn(headers, "RateLimit-Limit") || USUAL_LIMIT;
    const remaining = numberIn(headers, "RateLimit-Remaining");
    this.#pauseMs = remaining !== undefined && remaining < FEW_REMAINING ? Math.min(HOUR_MS / limit, PATIENCE_MS) : 0;
    if (status !== 429) {
      // Opens again, but keeps the pace.
      if (this.#waitMs > 0) this.#openAtMs = this.#clock.monotonicMs() + this.#pauseMs;
      this.#waitMs = 0;
      return;
    }
    // Refusals of requests that were in flight together count once.
    if (ticket !== this.#refusals) return;
    this.#refusals++;
    this.#waitMs = Math.min(HOUR_MS, Math.max(FIRST_WAIT_MS, 2 * this.#waitMs));
    const retryAfterSeconds = numberIn(headers, "Retry-After");
    const resetSeconds = numberIn(headers, "RateLimit-Reset");
    const untilResetMs = resetSeconds === undefined ? Infinity : 1000 * resetSeconds - this.#clock.wallMs();
    const delayMs = retryAfterSeconds !== undefined
      ? 1000 * retryAfterSeconds
      : Math.min(this.#waitMs, Math.max(FIRST_WAIT_MS, untilResetMs));
    this.#openAtMs = this.#clock.monotonicMs() + Math.min(HOUR_MS, Math.max(FIRST_WAIT_MS, delayMs));
  }
}

function numberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)?.trim() ?? "";
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
