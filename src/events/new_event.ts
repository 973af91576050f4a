import { type Event, formatTime, isDns1123Subdomain, type ObjectReference } from "../api/mod.ts";
import type { World } from "../base/mod.ts";

export interface NewEventOptions {
  readonly name: string;
  readonly reference: ObjectReference;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly component: string;
  readonly wallMs: number;
}

/** A core/v1 Event that happened once, now. Upstream: `k8s.io/client-go/tools/record/event.go` (makeEvent). */
export function newEvent({ name, reference, type, reason, message, component, wallMs }: NewEventOptions): Event {
  const now = formatTime(wallMs);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: reference.namespace || "default" },
    involvedObject: reference,
    reason,
    message,
    type,
    source: { component },
    reportingComponent: component,
    reportingInstance: "",
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}

/**
 * Names for Events: `<object's name>.<nanoseconds since 1970 in hex>`, or a UUID if that is not a valid name.
 *
 * Contract:
 * 1. No name is given twice.
 *
 * If the clock only has milliseconds, the rest is random, so that two processes do not choose the same name.
 * Upstream: `k8s.io/client-go/tools/internal/events` (GenerateEventName).
 */
export class EventNames {
  readonly #world: Pick<World, "clock" | "random">;
  #last = 0n;

  constructor(world: Pick<World, "clock" | "random">) {
    this.#world = world;
  }

  next(objectName: string): string {
    const { clock, random } = this.#world;
    const wallMs = clock.wallMs();
    const belowMs = Math.floor((wallMs % 1 || random.float()) * 1e6);
    const nanoseconds = BigInt(Math.floor(wallMs)) * 1_000_000n + BigInt(belowMs);
    this.#last = nanoseconds > this.#last ? nanoseconds : this.#last + 1n;
    const name = `${objectName}.${this.#last.toString(16)}`;
    return isDns1123Subdomain(name) ? name : random.uuid();
  }
}
