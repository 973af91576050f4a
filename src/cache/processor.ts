import type { KubeObject } from "../api/mod.ts";
import { type Clock, nextInLine, TURN_BUDGET_MS } from "../base/mod.ts";
import type { Notification } from "./notification.ts";
import type { ProcessorListener } from "./processor_listener.ts";

/** How many notifications are delivered between two checks of the clock. */
const SLICE = 256;

/**
 * The listeners of one informer, and which of them get which notification.
 *
 * Contract:
 * 1. A distribution goes to the listeners that were there when it began, even if it takes several turns of the event
 *    loop: one that is added in between has been shown the store as it is after the change.
 * 2. An update that changes nothing (same resource version) goes only to listeners whose replay is due.
 *
 * Upstream: `k8s.io/client-go/tools/cache/shared_informer.go` (sharedProcessor).
 */
export class Processor<T extends KubeObject> {
  #listeners: readonly ProcessorListener<T>[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(listener: ProcessorListener<T>): void {
    this.#listeners = [...this.#listeners, listener];
  }

  /** Removes and stops the listener; does nothing if it is not registered. */
  async remove(listener: ProcessorListener<T>): Promise<void> {
    if (!this.#listeners.includes(listener)) return;
    this.#listeners = this.#listeners.filter((other) => other !== listener);
    await listener.stop();
  }

  get hasListeners(): boolean {
    return this.#listeners.length > 0;
  }

  /** Stops all listeners; resolves when their current handler calls have ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener.stop()));
  }

  /** Decides which listeners get the next replay; returns whether any does. */
  checkResync(nowMs: number): boolean {
    let anyDue = false;
    for (const listener of this.#listeners) anyDue = listener.resync.check(nowMs) || anyDue;
    return anyDue;
  }

  /** Sets how often the informer checks for due replays, in milliseconds. */
  resyncCheckedEvery(checkMs: number): void {
    for (const listener of this.#listeners) listener.resync.checkEvery(checkMs);
  }

  /** Delivers `notifications`; returns a promise only if that takes more than one turn of the event loop. */
  distribute(notifications: Iterable<Notification<T>>): void | Promise<void> {
    if (this.#listeners.length === 0) return;
    return this.#slice(notifications[Symbol.iterator](), this.#listeners);
  }

  #slice(rest: Iterator<Notification<T>>, listeners: readonly ProcessorListener<T>[]): void | Promise<void> {
    const startMs = this.#clock.monotonicMs();
    for (let count = 1;; count++) {
      const { done, value } = rest.next();
      if (done) return;
      const replay = changesNothing(value);
      for (const listener of listeners) if (!replay || listener.resync.isDue) listener.push(value);
      if (count % SLICE === 0 && this.#clock.monotonicMs() - startMs > TURN_BUDGET_MS) {
        return nextInLine(this.#clock).then(() => this.#slice(rest, listeners));
      }
    }
  }
}

function changesNothing<T extends KubeObject>(notification: Notification<T>): boolean {
  if (notification.kind !== "update") return false;
  const { oldObject, newObject } = notification;
  return oldObject.metadata?.resourceVersion === newObject.metadata?.resourceVersion;
}
