import type { World } from "../base/mod.ts";
import { formatDuration } from "../api/mod.ts";

/**
 * Logs requests that wait for the limiter: waits over 50 ms at verbosity 3; waits over a second at any verbosity, at
 * most once in 10 s, and the others at verbosity 2, at most once a second.
 * Upstream: `client-go/rest/request.go` (tryThrottleWithInfo).
 */
export class ThrottleLog {
  readonly #world: World;
  #plainMs = -Infinity;
  #verboseMs = -Infinity;

  constructor(world: World) {
    this.#world = world;
  }

  waited(delayMs: number, verb: string, url: string): void {
    if (delayMs <= 50) return;
    const { clock, log } = this.#world;
    const message = "Waited before sending request";
    const reason = "client-side throttling, not priority and fairness";
    const fields = { delay: formatDuration(delayMs), reason, verb, URL: url };
    const nowMs = clock.monotonicMs();
    if (delayMs > 1000 && nowMs - this.#plainMs >= 10_000) {
      this.#plainMs = nowMs;
      log.info(message, fields);
    } else if (delayMs > 1000 && nowMs - this.#verboseMs >= 1000) {
      this.#verboseMs = nowMs;
      log.verbose(2, message, fields);
    } else {
      log.verbose(3, message, fields);
    }
  }
}
