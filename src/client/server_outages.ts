import { connectionFailureOf } from "./connection_error.ts";

/**
 * Detects when an unreachable server answers again, from the requests of all clients that share it.
 *
 * Contract:
 * 1. An outage begins with a request that gets no answer, and ends with the next one that succeeds.
 * 2. When it ends, each listener is called once. Those that have been removed are not.
 *
 * @example
 * ```ts
 * import { ConnectionError, ServerOutages } from "kubeloop/client";
 * import { assertEquals } from "@std/assert";
 *
 * const outages = new ServerOutages();
 * const seen: string[] = [];
 * outages.onEnd(() => seen.push("back"));
 * outages.note(new ConnectionError("refused", "connection refused"));
 * outages.note({ status: 503 });
 * outages.note({ status: 200 });
 * assertEquals(seen, ["back"]);
 * ```
 */
export class ServerOutages {
  readonly #listeners = new Set<() => void>();
  #isAway = false;

  /** Records a request's outcome: the status of its answer, or why there was none. */
  note(outcome: { readonly status: number } | Error): void {
    if (outcome instanceof Error) {
      if (connectionFailureOf(outcome) !== undefined) this.#isAway = true;
    } else if (this.#isAway && outcome.status < 300) {
      this.#isAway = false;
      for (const listener of [...this.#listeners]) listener();
    }
  }

  /** Calls `listener` at the end of each outage, until the returned function is called. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
