import type { Clock } from "../../base/mod.ts";
import { type EndpointSlice, joinKey } from "../../api/mod.ts";
import { asLabels, SERVICE_NAME_LABEL } from "./slice_labels.ts";

/** A slice whose deletion has not been observed yet. */
const DELETED = -1;
/** The same as for expectations and the consistency store, in case a watch is broken. */
const DEADLINE_MS = 5 * 60_000;

interface Written {
  readonly generation: number;
  readonly atMs: number;
}

/**
 * Remembers which slices were written, so that no sync relies on a cache that does not show them yet.
 *
 * Contract:
 * 1. A slice is news if it was not written here, or has a later generation than what was written.
 * 2. A cache is stale for a Service while it shows a slice that was deleted, shows an older generation than was
 *    written, or lacks a slice that was written.
 * 3. A deletion that is seen is forgotten; it was unexpected if the slice had been written and not deleted.
 * 4. A Service that is forgotten leaves nothing behind.
 * 5. After five minutes a slice that no cache has shown is no longer waited for: one that came and went while a watch
 *    was broken is never seen.
 *
 * Upstream: `k8s.io/endpointslice/util/endpointslice_tracker.go`, which waits for ever.
 */
export class WrittenSlices {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** By the key of the Service, then the uid of the slice. */
  readonly #services = new Map<string, Map<string, Written>>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** How many Services are remembered. */
  get size(): number {
    return this.#services.size;
  }

  isKnown(slice: EndpointSlice): boolean {
    return this.#find(slice) !== undefined;
  }

  isNews(slice: EndpointSlice): boolean {
    const written = this.#find(slice);
    return !written || generationOf(slice) > written.generation;
  }

  /** Records the server's answer to a write. */
  wrote(slice: EndpointSlice): void {
    this.#note(slice, generationOf(slice));
  }

  /** Records that a slice was deleted. */
  deleted(slice: EndpointSlice): void {
    this.#note(slice, DELETED);
  }

  /**
   * Records that a deletion was observed.
   *
   * @returns Whether somebody else deleted a slice that was written here.
   */
  sawDeletion(slice: EndpointSlice): boolean {
    const written = this.#find(slice);
    this.#services.get(serviceKey(slice))?.delete(slice.metadata?.uid ?? "");
    return written !== undefined && written.generation !== DELETED;
  }

  /**
   * Whether the cache does not show all that was written for a Service.
   *
   * @param shown The Service's slices of this controller, without those that are being deleted.
   */
  isStale(service: string, shown: readonly EndpointSlice[]): boolean {
    const slices = this.#services.get(service);
    if (!slices) return false;
    const generations = new Map(shown.map((slice) => [slice.metadata?.uid ?? "", generationOf(slice)]));
    const overdueMs = this.#clock.monotonicMs() - DEADLINE_MS;
    for (const [uid, { generation, atMs }] of slices) {
      const seen = generations.get(uid);
      const isShown = generation === DELETED ? seen === undefined : seen !== undefined && seen >= generation;
      if (isShown) continue;
      if (atMs > overdueMs) return true;
      slices.delete(uid);
    }
    return false;
  }

  /** @param service `namespace/name` of a Service that is gone. */
  forget(service: string): void {
    this.#services.delete(service);
  }

  #find(slice: EndpointSlice): Written | undefined {
    return this.#services.get(serviceKey(slice))?.get(slice.metadata?.uid ?? "");
  }

  #note(slice: EndpointSlice, generation: number): void {
    const key = serviceKey(slice);
    let slices = this.#services.get(key);
    if (!slices) this.#services.set(key, slices = new Map());
    slices.set(slice.metadata?.uid ?? "", { generation, atMs: this.#clock.monotonicMs() });
  }
}

function generationOf({ metadata }: EndpointSlice): number {
  return metadata?.generation ?? 0;
}

function serviceKey(slice: EndpointSlice): string {
  return joinKey(slice.metadata?.namespace, asLabels(slice)[SERVICE_NAME_LABEL] ?? "");
}
