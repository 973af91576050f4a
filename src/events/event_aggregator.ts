import { type Event, formatTime } from "../api/mod.ts";
import { LruMap, type World } from "../base/mod.ts";
import type { EventNames } from "./new_event.ts";

/** From this many different messages, similar events are combined. */
const MAX_MESSAGES = 10;
/** Messages are forgotten if there was none for this long. */
const WINDOW_MS = 600_000;

interface Similar {
  messages: Set<string>;
  lastMs: number;
}

/** An event, and the key under which it is recognised when it comes again. */
export interface KeyedEvent {
  readonly event: Event;
  readonly key: string;
}

/**
 * Replaces events that differ only in their message by one, once there are ten different messages within ten minutes.
 * Upstream: `k8s.io/client-go/tools/record/events_cache.go` (EventAggregator).
 */
export class EventAggregator {
  readonly #world: Pick<World, "clock">;
  readonly #names: EventNames;
  readonly #similar: LruMap<string, Similar>;

  constructor({ world, names, capacity }: {
    readonly world: Pick<World, "clock">;
    readonly names: EventNames;
    readonly capacity: number;
  }) {
    this.#world = world;
    this.#names = names;
    this.#similar = new LruMap(capacity);
  }

  aggregate(event: Event): KeyedEvent {
    const nowMs = this.#world.clock.monotonicMs();
    const key = aggregateKey(event);
    let similar = this.#similar.get(key);
    if (!similar || nowMs - similar.lastMs > WINDOW_MS) similar = { messages: new Set(), lastMs: nowMs };
    similar.messages.add(event.message ?? "");
    similar.lastMs = nowMs;
    this.#similar.set(key, similar);
    if (similar.messages.size < MAX_MESSAGES) return { event, key: eventKey(event) };
    // Never more than ten are kept; upstream drops any, here it is the oldest.
    similar.messages.delete(similar.messages.values().next().value!);
    return { event: this.#combined(event), key };
  }

  #combined(event: Event): Event {
    const now = formatTime(this.#world.clock.wallMs());
    return {
      ...event,
      metadata: { name: this.#names.next(event.involvedObject.name ?? ""), namespace: event.metadata.namespace },
      message: `(combined from similar events): ${event.message}`,
      reportingComponent: "",
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
  }
}

/** What makes two events repetitions of one: source, object, type, reason, message. Upstream: getEventKey. */
function eventKey(event: Event): string {
  return key([...common(event), event.involvedObject.fieldPath, event.message]);
}

/** What makes events that differ in their message similar. Upstream: EventAggregatorByReasonFunc. */
function aggregateKey(event: Event): string {
  return key(common(event));
}

function common(event: Event): (string | undefined)[] {
  const { source, involvedObject: { kind, namespace, name, uid, apiVersion } } = event;
  return [
    source?.component,
    source?.host,
    kind,
    namespace,
    name,
    uid,
    apiVersion,
    event.type,
    event.reason,
    event.reportingComponent,
    event.reportingInstance,
  ];
}

function key(parts: readonly (string | undefined)[]): string {
  return parts.join("\u0000");
}
