import { findCondition, formatTime, objectKey, parseTime, type Pod, type Service } from "../../api/mod.ts";

/** On Endpoints and slices of headless Services. */
export const HEADLESS_LABEL = "service.kubernetes.io/headless";
/** The time of the change that caused the last write of Endpoints or slices. */
export const TRIGGER_TIME_ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

interface Seen {
  readonly serviceMs: number;
  readonly pods: ReadonlyMap<string, number>;
}

/**
 * Determines the time of the change that causes a write of endpoints.
 *
 * Contract:
 * 1. A Service that is seen for the first time gives the time of its creation.
 * 2. Later it is the earliest time, of the Service's creation and of changes of its pods' readiness, that is later than
 *    what was seen of the same object before.
 * 3. If nothing has a later time there is none.
 * 4. Pods that are not given any more are forgotten, and all of a Service when it is forgotten.
 *
 * Upstream: `k8s.io/endpointslice/util/trigger_time_tracker.go`.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** How many Services are remembered. */
  get size(): number {
    return this.#seen.size;
  }

  /** The annotation's value for the next write; `undefined` for no annotation. */
  next(service: Service, pods: readonly Pod[]): string | undefined {
    const key = objectKey(service);
    const before = this.#seen.get(key);
    const serviceMs = timeOf(service.metadata?.creationTimestamp) ?? 0;
    const podTimes = new Map<string, number>();
    let earliest = serviceMs > (before?.serviceMs ?? 0) ? serviceMs : Infinity;
    for (const { metadata, status } of pods) {
      const ms = timeOf(findCondition(status?.conditions, "Ready")?.lastTransitionTime);
      if (ms === undefined) continue;
      const name = metadata?.name ?? "";
      podTimes.set(name, ms);
      if (ms > (before?.pods.get(name) ?? -Infinity)) earliest = Math.min(earliest, ms);
    }
    this.#seen.set(key, { serviceMs, pods: podTimes });
    if (!before) return serviceMs ? formatTime(serviceMs) : undefined;
    return earliest === Infinity ? undefined : formatTime(earliest);
  }

  /** @param key `namespace/name` of a Service that is gone. */
  forget(key: string): void {
    this.#seen.delete(key);
  }
}

function timeOf(text: string | undefined): number | undefined {
  return text ? parseTime(text) : undefined;
}
