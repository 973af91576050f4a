import type { Clock, Logger, Timer } from "../base/mod.ts";

const PERIOD_MS = 10_000;

/**
 * Warns every ten seconds without an event while a streaming list waits for the bookmark that ends its initial events: a
 * server or proxy that does not know it would otherwise leave a cache empty without a word.
 * Upstream: `k8s.io/client-go/tools/cache/reflector.go` (initialEventsEndBookmarkTicker).
 */
export class SilenceWarning implements Disposable {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #name: string;
  readonly #startedMs: number;
  #eventMs: number | undefined;
  #timer: Timer;

  constructor({ clock, log, name }: { readonly clock: Clock; readonly log: Logger; readonly name: string }) {
    this.#clock = clock;
    this.#log = log;
    this.#name = name;
    this.#startedMs = clock.monotonicMs();
    this.#timer = clock.setTimer(PERIOD_MS, this.#tick);
  }

  /** To be called for each event. */
  event(): void {
    this.#eventMs = this.#clock.monotonicMs();
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  readonly #tick = (): void => {
    const silentMs = this.#clock.monotonicMs() - (this.#eventMs ?? this.#startedMs);
    if (silentMs >= PERIOD_MS) {
      const seconds = `${Math.round(silentMs / 1000)}s`;
      const what = this.#eventMs === undefined
        ? `awaiting required bookmark event for initial events stream, no events received for ${seconds}`
        : "hasn't received required bookmark event marking the end of initial events stream, " +
          `received last event ${seconds} ago`;
      this.#log.warn("event bookmark expired", { err: `${this.#name}: ${what}` });
    }
    this.#timer = this.#clock.setTimer(PERIOD_MS, this.#tick);
  };
}
