import { type Event, EVENTS, formatTime, type ObjectReference } from "../../api/mod.ts";
import { LruMap, RingBuffer, type World } from "../../base/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";

/** Something to be told about an object. */
export interface PlainEvent {
  readonly about: ObjectReference;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The node, for what a kubelet tells. */
  readonly host?: string;
}

export interface PlainEventsOptions {
  readonly world: World;
  readonly client: Client;
  /** Who tells: `kubelet`, `default-scheduler`. */
  readonly component: string;
  /** Events that may wait to be written. Default 5000. */
  readonly capacity?: number;
}

/** An event that was written and may happen again. */
interface Written {
  readonly name: string;
  count: number;
}

/** Distinct events whose count is still known. */
const REMEMBERED = 4096;

/**
 * Writes core/v1 Events, one after the other, without ever keeping anybody waiting.
 *
 * Contract:
 * 1. Telling never blocks and never fails.
 * 2. What happens again to the same object, in the same words, raises the count of the event that is there.
 * 3. No more than `capacity` events wait; those beyond are dropped and counted.
 * 4. An event that the server refuses is dropped: events are a courtesy.
 * 5. After `close` nothing more is sent.
 *
 * Upstream: `k8s.io/client-go/tools/record`, which also holds back objects that are told about too often.
 */
export class PlainEvents {
  readonly #options: PlainEventsOptions;
  readonly #capacity: number;
  readonly #waiting = new RingBuffer<PlainEvent>({ initialCapacity: 16 });
  readonly #written = new LruMap<string, Written>(REMEMBERED);
  readonly #stop = new AbortController();
  #sending: Promise<void> | undefined;
  #order = 0;
  #dropped = 0;

  constructor(options: PlainEventsOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? 5000;
  }

  /** Events that were not written because too many were waiting, or because the server refused them. */
  get dropped(): number {
    return this.#dropped;
  }

  tell(event: PlainEvent): void {
    if (this.#stop.signal.aborted) return;
    if (this.#waiting.length >= this.#capacity) return void this.#dropped++;
    this.#waiting.push(event);
    this.#sending ??= this.#send();
  }

  /** Drops what waits; resolves when nothing is being sent any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  async #send(): Promise<void> {
    await undefined; // not on the stack of the one who tells
    while (!this.#stop.signal.aborted) {
      const event = this.#waiting.shift();
      if (!event) break;
      try {
        await this.#write(event);
      } catch (err) {
        if (this.#stop.signal.aborted) break;
        this.#dropped++;
        this.#options.world.log.verbose(3, "Event was not written", { reason: event.reason, err });
      }
    }
    this.#sending = undefined;
  }

  async #write(event: PlainEvent): Promise<void> {
    const { about, type, reason, message } = event;
    const key = [about.uid, about.fieldPath, type, reason, message].join("\n");
    const before = this.#written.get(key);
    if (before && await this.#repeat(event, before)) return;
    const created = this.#object(event);
    await this.#options.client.create(EVENTS, created, { signal: this.#stop.signal });
    this.#written.set(key, { name: created.metadata.name!, count: 1 });
  }

  /** Whether the event was there to be counted. */
  async #repeat({ about }: PlainEvent, written: Written): Promise<boolean> {
    const { client, world } = this.#options;
    const namespace = about.namespace || "default";
    const body = { count: ++written.count, lastTimestamp: formatTime(world.clock.wallMs()) };
    try {
      await client.patchMetadata(EVENTS, { namespace, name: written.name }, {
        type: "strategic",
        body,
        signal: this.#stop.signal,
      });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #object({ about, type, reason, message, host }: PlainEvent): Event {
    const { component, world } = this.#options;
    const wallMs = world.clock.wallMs();
    const now = formatTime(wallMs);
    const order = (this.#order++ % 1_000_000).toString(16).padStart(5, "0");
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: `${about.name}.${Math.floor(wallMs).toString(16)}${order}`,
        namespace: about.namespace || "default",
      },
      involvedObject: about,
      reason,
      message,
      type,
      source: host ? { component, host } : { component },
      reportingComponent: component,
      reportingInstance: host ?? "",
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
  }
}
