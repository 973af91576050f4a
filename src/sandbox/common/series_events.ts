import { EVENTS_EVENTS, type EventsV1Event, formatMicroTime, type ObjectReference } from "../../api/mod.ts";
import type { Timer, World } from "../../base/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import { EventSender, REMEMBERED_EVENTS } from "./event_sender.ts";

/** An action on an object, or an attempt. */
export interface SeriesEvent {
  readonly about: ObjectReference;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  /** The action, such as `Binding` or `Scheduling`. */
  readonly action: string;
  readonly note: string;
}

export interface SeriesEventsOptions {
  readonly world: World;
  readonly client: Client;
  /** The reporting controller, such as `default-scheduler`. */
  readonly controller: string;
}

/** An event that may happen again. */
interface Known {
  readonly event: EventsV1Event;
  /** How often it happened, and how much of that the server knows. */
  count: number;
  toldCount: number;
  lastMs: number;
}

/** A series without repetitions ends after this time; counts are also written this often. Upstream: `finishTime`. */
const FINISH_MS = 6 * 60_000;
/** The longest note that the API server accepts. */
const NOTE_CHARACTERS = 1024;

/**
 * Writes events.k8s.io/v1 Events as kube-scheduler does, through an {@link EventSender}.
 *
 * Contract:
 * 1. Recording an event never blocks and never fails.
 * 2. When the same thing happens again to an unchanged object, no further event is made: the second time its event
 *    becomes a series; from then on it is counted, and the count is written every six minutes.
 * 3. After six minutes without a repetition, the next one makes a new event.
 * 4. After `close` no timer is left.
 *
 * Upstream: `k8s.io/client-go/tools/events` (eventBroadcasterImpl).
 */
export class SeriesEvents {
  readonly #options: SeriesEventsOptions;
  readonly #sender: EventSender;
  /** By what makes two events equal; the oldest is dropped when there are too many. */
  readonly #known = new Map<string, Known>();
  #timer: Timer | undefined;

  constructor(options: SeriesEventsOptions) {
    this.#options = options;
    this.#sender = new EventSender(options.world);
  }

  tell(event: SeriesEvent): void {
    if (this.#sender.isClosed) return;
    const { clock } = this.#options.world;
    const { about, type, reason, action } = event;
    const key = JSON.stringify([type, action, reason, about]);
    const lastMs = clock.monotonicMs();
    const before = this.#known.get(key);
    if (before) {
      before.count++;
      before.lastMs = lastMs;
      if (before.count === 2) this.#writeCount(before);
      return;
    }
    const known: Known = { event: this.#object(event), count: 1, toldCount: 1, lastMs };
    if (this.#known.size >= REMEMBERED_EVENTS) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(key, known);
    this.#timer ??= clock.setTimer(FINISH_MS, () => this.#finish());
    this.#sender.send(reason, async (signal) => {
      await this.#options.client.create(EVENTS_EVENTS, known.event, { signal });
    });
  }

  /** Drops waiting events; resolves when no request is in flight. */
  close(): Promise<void> {
    this.#timer?.cancel();
    return this.#sender.close();
  }

  #finish(): void {
    const { clock } = this.#options.world;
    for (const [key, known] of this.#known) {
      if (known.count > known.toldCount) this.#writeCount(known);
      if (known.lastMs <= clock.monotonicMs() - FINISH_MS) this.#known.delete(key);
    }
    this.#timer = this.#known.size > 0 ? clock.setTimer(FINISH_MS, () => this.#finish()) : undefined;
  }

  #writeCount(known: Known): void {
    const { client, world } = this.#options;
    const { metadata: { namespace, name = "" } = {}, reason = "" } = known.event;
    const { count } = known;
    known.toldCount = count;
    const series = { count, lastObservedTime: formatMicroTime(world.clock.wallMs()) };
    this.#sender.send(reason, async (signal) => {
      try {
        const body = { series };
        await client.patchMetadata(EVENTS_EVENTS, { namespace, name }, { type: "strategic", body, signal });
      } catch (error) {
        // It has expired or was deleted, so it is created again with its count.
        if (!isNotFound(error)) throw error;
        await client.create(EVENTS_EVENTS, { ...known.event, series }, { signal });
      }
    });
  }

  #object({ about, type, reason, action, note }: SeriesEvent): EventsV1Event {
    const { controller, world } = this.#options;
    return {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: this.#sender.nameFor(about.name), namespace: about.namespace || "default" },
      eventTime: formatMicroTime(world.clock.wallMs()),
      reportingController: controller,
      reportingInstance: `${controller}-kubeloop`,
      action,
      reason,
      regarding: about,
      note: truncated(note),
      type,
    };
  }
}

/**
 * Shortens a long list of reasons, as kube-scheduler does. Upstream: `pkg/scheduler/schedule_one.go` (truncateMessage).
 */
function truncated(note: string): string {
  const suffix = " ...";
  return note.length <= NOTE_CHARACTERS ? note : note.slice(0, NOTE_CHARACTERS - suffix.length) + suffix;
}
