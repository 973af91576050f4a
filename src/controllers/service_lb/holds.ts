/** A Service is being worked on already. */
export class ServiceBusyError extends Error {
  override readonly name = "ServiceBusyError";

  constructor(key: string) {
    super(`Service ${key} is being worked on already`);
  }
}

/** The exclusive right to call the cloud about one Service. */
export interface Hold extends Disposable {
  /** Whether nodes changed since the hold began, so that its holder must check them. */
  readonly missedNodes: boolean;
}

/**
 * Locks on Services.
 *
 * Contract:
 * 1. At any time at most one piece of work holds a Service, so that the cloud never gets two calls for one Service at a
 *    time.
 * 2. Nobody waits for a hold: a call of the cloud may take a quarter of an hour.
 *
 * @example
 * ```ts
 * import { Holds, ServiceBusyError } from "./holds.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const holds = new Holds();
 * {
 *   using hold = holds.take("a/web");
 *   assertThrows(() => holds.take("a/web"), ServiceBusyError);
 *   holds.missNodes("a/web");
 *   assertEquals(hold.missedNodes, true);
 * }
 * holds.take("a/web");
 * ```
 */
export class Holds {
  readonly #held = new Map<string, { missedNodes: boolean }>();

  /** @throws {ServiceBusyError} If somebody holds it. */
  take(key: string): Hold {
    if (this.#held.has(key)) throw new ServiceBusyError(key);
    const state = { missedNodes: false };
    this.#held.set(key, state);
    return {
      get missedNodes() {
        return state.missedNodes;
      },
      [Symbol.dispose]: () => void this.#held.delete(key),
    };
  }

  /**
   * Notifies the holder of a Service that nodes changed.
   *
   * @returns Whether there is a holder.
   */
  missNodes(key: string): boolean {
    const state = this.#held.get(key);
    if (state) state.missedNodes = true;
    return state !== undefined;
  }
}
