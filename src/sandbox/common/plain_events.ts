import { type Event, EVENTS, formatTime, type ObjectReference } from "../../api/mod.ts";
import { LruMap, type World } from "../../base/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import { EventSender, REMEMBERED_EVENTS } from "./event_sender.ts";

/** What an event says about an object. */
export interface PlainEvent {
  readonly about: ObjectReference;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The node, for a kubelet's events. */
  readonly host?: string;
}

export interface PlainEventsOptions {
  readonly world: World;
  readonly client: Client;
  /** The source of the events, such as `kubelet`. */
  readonly component: string;
  /** How many events may wait to be written. Default 5000. */
  readonly capacity?: number;
}

/** A written event, which may happen again. */
interface Written {
  readonly name: string;
  count: number;
}

/**
 * Writes core/v1 Events as kubelets do, through an {@link EventSender}.
 *
 * Contract:
 * 1. Recording an event never blocks and never fails.
 * 2. When the same thing happens again to the same object, in the same words, the count of the existing event goes up.
 *
 * Upstream: `k8s.io/client-go/tools/record`, which also throttles events per object.
 */
export class PlainEvents {
  readonly #options: PlainEventsOptions;
  readonly #sender: EventSender;
  readonly #written = new LruMap<string, Written>(REMEMBERED_EVENTS);

  constructor(options: PlainEventsOptions) {
    this.#options = options;
    this.#sender = new EventSender(options.world, options.capacity);
  }

  /** How many events were not written because too many were waiting or the server refused them. */
  get dropped(): number {
    return this.#sender.dropped;
  }

  tell(event: PlainEvent): void {
    this.#sender.send(event.reason, (signal) => this.#write(event, signal));
  }

  /** Drops waiting events; resolves when no request is in flight. */
  close(): Promise<void> {
    return this.#sender.close();
  }

  async #write(event: PlainEvent, signal: AbortSignal): Promise<void> {
    const { about, type, reason, message } = event;
    const key = [about.uid, about.fieldPath, type, reason, message].join("\n");
    const before = this.#written.get(key);
    if (before && await this.#repeat(event, before, signal)) return;
    const created = this.#object(event);
    await this.#options.client.create(EVENTS, created, { signal });
    this.#written.set(key, { name: created.metadata.name!, count: 1 });
  }

  /** Returns whether the event still existed and was counted. */
  async #repeat({ about }: PlainEvent, written: Written, signal: AbortSignal): Promise<boolean> {
    const { client, world } = this.#options;
    const namespace = about.namespace || "default";
    const body = { count: ++written.count, lastTimestamp: formatTime(world.clock.wallMs()) };
    try {
      await client.patchMetadata(EVENTS, { namespace, name: written.name }, { type: "strategic", body, signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #object({ about, type, reason, message, host }: PlainEvent): Event {
    const { component, world } = this.#options;
    const now = formatTime(world.clock.wallMs());
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: this.#sender.nameFor(about.name), namespace: about.namespace || "default" },
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
