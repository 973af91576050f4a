import type { Event } from "../api/mod.ts";
import { LruMap, type World } from "../base/mod.ts";
import { EventAggregator, type KeyedEvent } from "./event_aggregator.ts";
import type { EventNames } from "./new_event.ts";
import { SpamFilter } from "./spam_filter.ts";

/** The capacity of each of the correlator's caches. */
const CAPACITY = 4096;

interface Observation {
  readonly name: string;
  readonly firstTimestamp: string | undefined;
  readonly count: number;
}

/**
 * Decides how reported events are written.
 *
 * Contract:
 * 1. The tenth different message about the same thing within ten minutes, and those after it, become one event
 *    `(combined from similar events): ...` that changes.
 * 2. An event that comes again keeps its name and its first time, and counts one more.
 * 3. Of one source about one object, after 25 events at once only one in five minutes is written; the others still
 *    count.
 * 4. No more than 4096 entries of each kind are remembered.
 *
 * Upstream: `k8s.io/client-go/tools/record/events_cache.go` (EventCorrelator).
 */
export class EventCorrelator {
  readonly #aggregator: EventAggregator;
  readonly #observations = new LruMap<string, Observation>(CAPACITY);
  readonly #spam: SpamFilter;

  constructor({ world, names }: { readonly world: Pick<World, "clock">; readonly names: EventNames }) {
    this.#aggregator = new EventAggregator({ world, names, capacity: CAPACITY });
    this.#spam = new SpamFilter({ clock: world.clock, capacity: CAPACITY });
  }

  /** The event to write, whose `count` shows whether it is repeated; `undefined` if it is filtered out. */
  correlate(event: Event): Event | undefined {
    const observed = this.#observe(this.#aggregator.aggregate(event));
    return this.#spam.allows(observed) ? observed : undefined;
  }

  // Upstream adopts the server's count after a successful write; here writes overlap, so only our own count is
  // reliable.
  #observe({ event, key }: KeyedEvent): Event {
    const last = this.#observations.get(key);
    const observed: Event = last
      ? {
        ...event,
        metadata: { ...event.metadata, name: last.name },
        firstTimestamp: last.firstTimestamp,
        count: last.count + 1,
      }
      : event;
    this.#observations.set(key, {
      name: observed.metadata.name ?? "",
      firstTimestamp: observed.firstTimestamp,
      count: observed.count ?? 1,
    });
    return observed;
  }
}
