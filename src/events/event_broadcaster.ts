import type { Event } from "../api/mod.ts";
import { type Counter, MetricsRegistry, type World } from "../base/mod.ts";
import { EventCorrelator } from "./event_correlator.ts";
import { EventQueue } from "./event_queue.ts";
import { type EventRecorder, type EventType, referenceOf } from "./event_recorder.ts";
import { type EventClient, EventWriter } from "./event_writer.ts";
import { EventNames, newEvent } from "./new_event.ts";

/** How many events may wait to be written; further ones are dropped. */
const QUEUE_LIMIT = 1000;
/** Dropped events are logged at most this often. */
const DROP_LOG_INTERVAL_MS = 1000;

/** Options of {@link EventBroadcaster}. */
export interface EventBroadcasterOptions {
  readonly world: Pick<World, "clock" | "random" | "log">;
  /** A `Client` whose rate limiter is not shared with real work. */
  readonly client: EventClient;
  readonly metrics?: MetricsRegistry;
}

/**
 * Collects the events of many recorders and writes them to the API server.
 *
 * Contract:
 * 1. Recording an event neither waits nor throws, whatever happens to the event.
 * 2. At most 1000 events wait; further ones are dropped, counted and logged: the newest of the namespace with the most.
 * 3. Events are written one after the other, in order: a burst of them must not take the API server from real work.
 *    Namespaces take turns, so that a burst in one delays no other.
 * 4. Every event is also logged.
 * 5. When `run` ends, waiting events are dropped.
 *
 * Upstream: `k8s.io/client-go/tools/record/event.go`.
 *
 * @example
 * ```ts
 * import { EventBroadcaster } from "kubeloop/events";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const world = new FakeWorld();
 * const written: string[] = [];
 * const broadcaster = new EventBroadcaster({
 *   world,
 *   client: {
 *     create: async (_resource, event) => (written.push(`${event.reason}: ${event.message}`), event),
 *     patch: () => Promise.reject(new Error("nothing is patched here")),
 *   },
 * });
 * const recorder = broadcaster.recorder("replicaset-controller");
 * const set = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { namespace: "default", name: "web" } };
 * recorder.event(set, "Normal", "SuccessfulCreate", "Created pod: web-abcde");
 *
 * const stop = new AbortController();
 * const running = broadcaster.run(stop.signal);
 * await world.clock.advance(0);
 * assertEquals(written, ["SuccessfulCreate: Created pod: web-abcde"]);
 * stop.abort();
 * await running;
 * ```
 */
export class EventBroadcaster {
  readonly #world: Pick<World, "clock" | "random" | "log">;
  readonly #queue = new EventQueue(QUEUE_LIMIT);
  readonly #names: EventNames;
  readonly #correlator: EventCorrelator;
  readonly #writer: EventWriter;
  readonly #droppedTotal: Counter;
  readonly #stopTracking: () => void;
  #dropped = 0;
  #dropLoggedMs = -Infinity;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor({ world, client, metrics = new MetricsRegistry() }: EventBroadcasterOptions) {
    this.#world = world;
    this.#names = new EventNames(world);
    this.#correlator = new EventCorrelator({ world, names: this.#names });
    this.#writer = new EventWriter(world, client);
    this.#droppedTotal = metrics.counter({
      name: "kubeloop_events_dropped_total",
      help: "Number of events that were not written, because too many waited or too many came about one object",
      labels: ["reason"],
    });
    for (const reason of ["queue_full", "spam"]) this.#droppedTotal.inc([reason], 0);
    const queued = metrics.gauge({
      name: "kubeloop_events_queued",
      help: "Events that wait to be written, in the longest queue of a thread.",
    });
    this.#stopTracking = queued.trackLargest(() => this.length);
  }

  /** Events dropped because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Events that wait to be written. */
  get length(): number {
    return this.#queue.length;
  }

  /**
   * A recorder whose events carry `component` as their source.
   *
   * @param options.verbosity The verbosity from which its events are logged; always if 0.
   */
  recorder(component: string, { verbosity = 0 }: { readonly verbosity?: number } = {}): EventRecorder {
    return {
      event: (object, type, reason, message) => {
        const event = this.#newEvent(component, { object, type, reason, message });
        if (!event) return;
        this.#log(event, verbosity);
        this.#enqueue(event);
      },
    };
  }

  /** Writes events until `signal` aborts; resolves when the current write has ended. Call it only once. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake?.();
    signal.addEventListener("abort", wake);
    while (!signal.aborted) {
      const event = this.#queue.shift();
      if (!event) {
        await this.#whenQueued(signal);
        continue;
      }
      const observed = this.#correlator.correlate(event);
      if (observed) await this.#writer.write(observed, signal);
      else this.#droppedTotal.inc(["spam"]);
    }
    this.#ended = true;
    this.#queue.clear();
    this.#stopTracking();
    signal.removeEventListener("abort", wake);
  }

  #newEvent(
    component: string,
    { object, type, reason, message }: {
      readonly object: Parameters<EventRecorder["event"]>[0];
      readonly type: EventType;
      readonly reason: string;
      readonly message: string;
    },
  ): Event | undefined {
    const { clock, log } = this.#world;
    const reference = referenceOf(object);
    if (!reference) {
      log.error("Could not construct reference, will not report event", { component, type, reason, message });
      return undefined;
    }
    if (type !== "Normal" && type !== "Warning") {
      log.error("Unsupported event type", { eventType: type, component, reason });
      return undefined;
    }
    const name = this.#names.next(reference.name ?? "");
    return newEvent({ name, reference, type, reason, message, component, wallMs: clock.wallMs() });
  }

  #log({ involvedObject, type, reason, message }: Event, verbosity: number): void {
    const { log } = this.#world;
    const { namespace = "", name = "", fieldPath = "", kind, apiVersion } = involvedObject;
    const fields = { object: { namespace, name }, fieldPath, kind, apiVersion, type, reason, message };
    if (verbosity > 0) log.verbose(verbosity, "Event occurred", fields);
    else log.info("Event occurred", fields);
  }

  #enqueue(event: Event): void {
    if (this.#ended) return;
    const dropped = this.#queue.push(event);
    if (dropped) this.#logDrop(dropped);
    this.#wake?.();
  }

  #logDrop({ involvedObject: { namespace = "", name = "" }, reason }: Event): void {
    const { clock, log } = this.#world;
    this.#dropped++;
    this.#droppedTotal.inc(["queue_full"]);
    if (clock.monotonicMs() - this.#dropLoggedMs < DROP_LOG_INTERVAL_MS) return;
    this.#dropLoggedMs = clock.monotonicMs();
    log.error("Unable to record event: too many queued events, dropped event", {
      object: { namespace, name },
      reason,
      droppedSoFar: this.#dropped,
    });
  }

  async #whenQueued(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#queue.length > 0) return;
    await new Promise<void>((resolve) => this.#wake = resolve);
    this.#wake = undefined;
  }
}
