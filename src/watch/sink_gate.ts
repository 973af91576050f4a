import { unlessAborted } from "../base/mod.ts";

/**
 * Lets one call at a time through to a sink.
 *
 * Contract:
 * 1. A call begins when the one before it has ended.
 * 2. A call that is not asynchronous costs no turn of the event loop while nothing is in its way.
 * 3. When `signal` aborts, `call` stops waiting: the promise of a sink that was shut down may never settle.
 */
export class SinkGate {
  #busy: Promise<void> | undefined;

  /** @throws What `fn` throws or rejects with, or the reason of `signal` when it aborts first. */
  call(fn: () => void | Promise<void>, signal: AbortSignal): void | Promise<void> {
    if (this.#busy) return this.#queued(fn, signal);
    const result = fn();
    return result && this.#pass(result, signal);
  }

  async #queued(fn: () => void | Promise<void>, signal: AbortSignal): Promise<void> {
    while (this.#busy) await unlessAborted(this.#busy, signal);
    await this.call(fn, signal);
  }

  #pass(result: Promise<void>, signal: AbortSignal): Promise<void> {
    const clear = () => {
      this.#busy = undefined;
    };
    this.#busy = result.then(clear, clear);
    return unlessAborted(result, signal);
  }
}
