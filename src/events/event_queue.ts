import type { Event } from "../api/mod.ts";

/**
 * Events that wait to be written. Upstream has one line for all, and drops the newest: one namespace can fill it.
 *
 * Contract:
 * 1. Namespaces take turns: between two events of one, every other has its turn.
 * 2. Events of a namespace stay in order.
 * 3. At most `capacity` events wait: then the newest of the namespace with the most is dropped, or the new one itself
 *    if its own has as many.
 *
 * @example
 * ```ts
 * import { EventQueue } from "./event_queue.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const queue = new EventQueue(2);
 * const of = (namespace: string) => ({ metadata: { namespace }, involvedObject: {} });
 * for (const namespace of ["loud", "loud", "quiet"]) queue.push(of(namespace));
 * assertEquals([queue.shift(), queue.shift(), queue.shift()], [of("loud"), of("quiet"), undefined]);
 * ```
 */
export class EventQueue {
  readonly #capacity: number;
  /** By namespace, the one whose turn is next first. */
  readonly #waiting = new Map<string, Event[]>();
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#length;
  }

  /** @returns The event that was dropped, if there was no room. */
  push(event: Event): Event | undefined {
    const { namespace = "" } = event.metadata;
    const dropped = this.#length < this.#capacity ? undefined : this.#dropFor(namespace) ?? event;
    if (dropped === event) return event;
    const events = this.#waiting.get(namespace);
    if (events) events.push(event);
    else this.#waiting.set(namespace, [event]);
    this.#length++;
    return dropped;
  }

  /** Removes the event whose turn it is. */
  shift(): Event | undefined {
    for (const [namespace, events] of this.#waiting) {
      const event = events.shift();
      this.#waiting.delete(namespace);
      if (events.length > 0) this.#waiting.set(namespace, events);
      this.#length--;
      return event;
    }
    return undefined;
  }

  clear(): void {
    this.#waiting.clear();
    this.#length = 0;
  }

  /** Drops an event of the namespace with the most, unless that is `namespace`. */
  #dropFor(namespace: string): Event | undefined {
    let most = this.#waiting.get(namespace)?.length ?? 0;
    let greediest: string | undefined;
    for (const [other, { length }] of this.#waiting) if (length > most) [greediest, most] = [other, length];
    if (greediest === undefined) return undefined;
    const events = this.#waiting.get(greediest)!;
    const dropped = events.pop();
    if (events.length === 0) this.#waiting.delete(greediest);
    this.#length--;
    return dropped;
  }
}
