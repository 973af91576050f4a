import { compareResourceVersions, groupResource, type Resource } from "../api/mod.ts";
import type { Clock, Counter, MetricsRegistry } from "../base/mod.ts";

/** A cache whose progress a {@link ConsistencyStore} checks: an informer or an indexer. */
export interface ReadVersion {
  /** The newest resource version processed; empty if unknown. */
  readonly resourceVersion: string;
}

/** Options of {@link ConsistencyStore}. */
export interface ConsistencyStoreOptions {
  readonly clock: Clock;
  /** The resources a controller writes, each with the cache it reads them from; the owners' first. */
  readonly caches: readonly (readonly [Resource, ReadVersion])[];
  readonly metrics?: MetricsRegistry;
  /** Such as `replicaset_controller_stale_sync_skips_total`; not exposed if absent, as for upstream's StatefulSet. */
  readonly metricName?: string;
  /** How long to wait for a write, in milliseconds. Default 5 minutes, as for expectations. */
  readonly deadlineMs?: number;
}

/** A cache has not seen this controller's own write yet; retry the key later. */
export class StaleCacheError extends Error {
  override readonly name = "StaleCacheError";
}

interface Written {
  readonly resource: Resource;
  readonly resourceVersion: string;
  readonly atMs: number;
}

interface OwnerRecord {
  readonly uid: string;
  /** By group resource. */
  readonly writes: Map<string, Written>;
}

const DEFAULT_DEADLINE_MS = 5 * 60_000;
const DEADLINE_METRIC = "kubeloop_consistency_deadline_exceeded_total";

/**
 * Keeps a controller from acting on caches that have not seen its own writes.
 *
 * Contract:
 * 1. Per owner and resource the newest version written is remembered; a write for another uid begins a fresh record.
 * 2. An owner is ready when each cache has processed at least what was written; its record is dropped then.
 * 3. A version that cannot be compared, and a cache whose version is unknown, count as ready.
 * 4. Clearing with a uid drops only that uid's record; without one, any.
 * 5. A write older than the deadline is given up, and counted: a broken watch must not stop an owner for ever.
 *    (Upstream has no deadline.)
 *
 * Upstream: `pkg/controller/util/consistency` (gates StaleControllerConsistency*).
 *
 * @example
 * ```ts
 * import { PODS } from "kubeloop/api";
 * import { ConsistencyStore, StaleCacheError } from "kubeloop/cache";
 * import { FakeClock } from "kubeloop/world";
 * import { assertThrows } from "@std/assert";
 *
 * const pods = { resourceVersion: "99" };
 * const guard = new ConsistencyStore({ clock: new FakeClock(), caches: [[PODS, pods]] });
 * guard.wroteAt("default/web", "uid-1", { resource: PODS, resourceVersion: "100" });
 * assertThrows(() => guard.ensureReady("default/web"), StaleCacheError);
 * pods.resourceVersion = "100";
 * guard.ensureReady("default/web");
 * ```
 */
export class ConsistencyStore {
  readonly #clock: Clock;
  readonly #caches: ReadonlyMap<string, ReadVersion>;
  readonly #owners = new Map<string, OwnerRecord>();
  readonly #deadlineMs: number;
  readonly #skips: Counter | undefined;
  readonly #givenUp: Counter | undefined;

  constructor({ clock, caches, metrics, metricName, deadlineMs = DEFAULT_DEADLINE_MS }: ConsistencyStoreOptions) {
    this.#clock = clock;
    this.#caches = new Map(caches.map(([resource, cache]) => [groupResource(resource), cache]));
    this.#deadlineMs = deadlineMs;
    const labels = ["group", "resource"];
    if (metricName) {
      this.#skips = metrics?.counter({
        name: metricName,
        help: `Total number of ${caches[0][0].kind} syncs skipped due to a stale watch cache.`,
        labels,
      });
    }
    this.#givenUp = metrics?.counter({
      name: DEADLINE_METRIC,
      help: "Own writes that no cache showed within the deadline",
      labels,
    });
    // The other metric is upstream's, which has no series before the first skip.
    for (const [{ group, plural }] of caches) this.#givenUp?.touch([group, plural]);
  }

  /** The number of owners with writes that have not been read back. */
  get size(): number {
    return this.#owners.size;
  }

  /**
   * Records a successful write on behalf of an owner.
   *
   * @param owner The owner's key, `namespace/name`.
   */
  wroteAt(owner: string, uid: string, write: { readonly resource: Resource; readonly resourceVersion: string }): void {
    let record = this.#owners.get(owner);
    if (record?.uid !== uid) this.#owners.set(owner, record = { uid, writes: new Map() });
    const name = groupResource(write.resource);
    const before = record.writes.get(name) ?? write;
    const order = compareResourceVersions(write.resourceVersion, before.resourceVersion);
    if (order === undefined) return; // malformed, so never waited for
    if (order > 0 || before === write) record.writes.set(name, { ...write, atMs: this.#clock.monotonicMs() });
  }

  /**
   * Returns if the caches have seen everything written for `owner`.
   *
   * @throws {StaleCacheError} If one is behind; the key is to be queued again with rate limit.
   */
  ensureReady(owner: string): void {
    const record = this.#owners.get(owner);
    if (!record) return;
    for (const [name, write] of record.writes) {
      const read = this.#caches.get(name)?.resourceVersion ?? "";
      const order = compareResourceVersions(read, write.resourceVersion);
      if (order === undefined || order >= 0) continue;
      const labels = [write.resource.group, write.resource.plural];
      if (this.#clock.monotonicMs() - write.atMs > this.#deadlineMs) {
        this.#givenUp?.inc(labels);
        continue;
      }
      this.#skips?.inc(labels);
      throw new StaleCacheError(
        `read version: ${read} is not as new as written version: ${write.resourceVersion} for group resource ${name}`,
      );
    }
    this.#owners.delete(owner);
  }

  /** Forgets the owner: when it was deleted (with its uid), or when a sync finds it gone (without). */
  clear(owner: string, uid?: string): void {
    if (uid === undefined || this.#owners.get(owner)?.uid === uid) this.#owners.delete(owner);
  }
}
