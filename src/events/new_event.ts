import { type Event, formatTime, type ObjectReference } from "../api/mod.ts";

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
