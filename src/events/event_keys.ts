import type { Event } from "../api/mod.ts";

/** What makes two events repetitions of one: source, object, type, reason, message. Upstream: getEventKey. */
export function eventKey(event: Event): string {
  return key([...common(event), event.involvedObject.fieldPath, event.message]);
}

/** What makes events that differ in their message similar. Upstream: EventAggregatorByReasonFunc. */
export function aggregateKey(event: Event): string {
  return key(common(event));
}

/** Whose events are counted together against a flood. Upstream: getSpamKey. */
export function spamKey({ source, involvedObject: { kind, namespace, name, uid, apiVersion }, type }: Event): string {
  return key([source?.component, source?.host, kind, namespace, name, uid, apiVersion, type]);
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
