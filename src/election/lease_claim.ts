import { compareResourceVersions, formatMicroTime, type Lease } from "../api/mod.ts";
import type { World } from "../base/mod.ts";
import type { Fence } from "./fence.ts";
import { isSameRecord, type LeaderRecord, recordOf } from "./leader_record.ts";
import type { LeaseLock, SeenLease } from "./lease_lock.ts";

/** How a try to acquire or keep a lease ended. `displaced`: we led, but the server names somebody else or nobody. */
export type ClaimOutcome = "held" | "failed" | "displaced";

/** Options of {@link LeaseClaim}. */
export interface LeaseClaimOptions {
  readonly world: Pick<World, "clock" | "log">;
  readonly lock: LeaseLock;
  readonly leaseDurationMs: number;
  /** Notified of each renewal. */
  readonly fence: Fence;
  /** Called when our own lease is renewed after being read again. */
  readonly onSlowPath: () => void;
}

/**
 * Our claim to a lease: what we believe of it, and what we may write because of that. It takes, keeps and gives up the
 * lease, one try at a time.
 *
 * Contract:
 * 1. Times in the Lease are never compared with a clock: a lease is valid until its own duration has passed, by the
 *    monotonic clock, since this process saw its record change.
 * 2. A valid lease of somebody else is never taken; a released or expired one is, and the transitions grow by one.
 * 3. A renewal keeps the acquire time and the transitions.
 * 4. A leader that finds its lease in other hands, or in nobody's, writes nothing more.
 * 5. Once an attempt's signal has aborted, its answer no longer counts.
 * 6. A Lease that is gone, or has a record that we did not write, endangers it, unless it is older than our last write.
 *
 * Upstream: `k8s.io/client-go/tools/leaderelection/leaderelection.go` (tryAcquireOrRenew, release).
 */
export class LeaseClaim {
  readonly #options: LeaseClaimOptions;
  /** The state that we believe and base writes on: the last one read or written. */
  #observed: SeenLease | undefined;
  /** The last record that we sent, whatever its outcome. */
  #sent: LeaderRecord | undefined;
  /** When its record was first seen. */
  #observedAtMs = -Infinity;

  constructor(options: LeaseClaimOptions) {
    this.#options = options;
  }

  /** The Lease as it was last read or written. */
  get observed(): SeenLease | undefined {
    return this.#observed;
  }

  /** Who is believed to hold the lease; empty if nobody, or nothing was seen yet. */
  get holder(): string {
    return this.#observed?.record.holder ?? "";
  }

  /** Milliseconds since the lease's record was last seen to change. */
  get unchangedMs(): number {
    return this.#nowMs() - this.#observedAtMs;
  }

  /**
   * Whether `seen`, which a watch shows, lets others take a lease that is ours before its time: it is gone, or its
   * record is none of ours. An old renew time is enough: who has seen it before counts from then.
   */
  isEndangeredBy(seen: Lease | undefined): boolean {
    if (!seen) return true;
    const record = recordOf(seen.spec);
    if ([this.#sent, this.#observed?.record].some((ours) => ours && isSameRecord(ours, record))) return false;
    const [theirs, ours] = [seen, this.#observed?.lease].map((lease) => lease?.metadata?.resourceVersion ?? "");
    // States from before our last write are outdated.
    return (compareResourceVersions(theirs, ours) ?? 1) > 0;
  }

  /** Makes one try to acquire the lease or, for a leader, to keep it. Never rejects. */
  async hold(signal: AbortSignal, { isLeader }: { readonly isLeader: boolean }): Promise<ClaimOutcome> {
    const { world: { log }, lock } = this.#options;
    let want = this.#recordNow();
    const ours = this.holder === lock.identity && this.#isValid() ? this.#observed : undefined;
    if (ours) {
      want = keeping(ours.record, want);
      const failure = await this.#write(want, signal, (record) => lock.update(ours, record, signal));
      if (!failure) return "held";
      log.verbose(2, "Failed to update lease optimistically, falling back to slow path", {
        err: failure.error,
        lock: lock.description,
      });
      if (signal.aborted) return "failed";
    }
    let read: SeenLease | undefined;
    try {
      read = await lock.get(signal);
    } catch (error) {
      return this.#failed("Error retrieving lease lock", error);
    }
    if (signal.aborted) return "failed";
    if (read) return await this.#takeOrKeep(read, { isLeader, signal });
    const failure = await this.#write(want, signal, (record) => lock.create(record, signal));
    return failure ? this.#failed("Error initially creating lease lock", failure.error) : "held";
  }

  /** The slow path, once the server's state is known. */
  async #takeOrKeep(
    seen: SeenLease,
    { isLeader, signal }: { readonly isLeader: boolean; readonly signal: AbortSignal },
  ): Promise<ClaimOutcome> {
    const { world: { log }, lock, onSlowPath } = this.#options;
    this.#observe(seen);
    const { holder, transitions } = seen.record;
    const isOurs = holder === lock.identity;
    if (!isOurs && isLeader) return "displaced";
    if (holder && !isOurs && this.#isValid()) {
      log.verbose(4, "Lease is held by and has not yet expired", { lock: lock.description, holder });
      return "failed";
    }
    if (isOurs) onSlowPath();
    const now = this.#recordNow();
    const want = isOurs ? keeping(seen.record, now) : { ...now, transitions: transitions + 1 };
    const failure = await this.#write(want, signal, (record) => lock.update(seen, record, signal));
    return failure ? this.#failed("Failed to update lease", failure.error) : "held";
  }

  /** Releases the lease if it is still ours. Never rejects. */
  async release(signal: AbortSignal): Promise<void> {
    const { world: { log }, lock } = this.#options;
    try {
      const seen = await lock.get(signal);
      if (!seen) return log.info("Lease lock not found", { lock: lock.description });
      if (signal.aborted) return;
      this.#observe(seen);
      // Our release must not affect whoever has acquired it meanwhile.
      if (seen.record.holder !== lock.identity) return;
      const free = { ...this.#recordNow(), holder: "", durationSeconds: 1, transitions: seen.record.transitions };
      const released = await lock.update(seen, free, signal);
      if (!signal.aborted) this.#observe(released);
    } catch (error) {
      log.error("Failed to release lease", { err: error, lock: lock.description });
    }
  }

  /** Writes our claim to the lease; the fence counts from before the request is sent. */
  async #write(
    record: LeaderRecord,
    signal: AbortSignal,
    send: (record: LeaderRecord) => Promise<SeenLease>,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { fence } = this.#options;
    const renewal = fence.begin();
    this.#sent = record;
    try {
      const written = await send(record);
      signal.throwIfAborted();
      this.#observe(written);
      fence.renewed(renewal);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** Logs why a try failed, unless it was stopped. */
  #failed(what: string, error: unknown): "failed" {
    const { world: { log }, lock } = this.#options;
    const wasStopped = error instanceof DOMException && error.name === "AbortError";
    if (!wasStopped) log.error(what, { err: error, lock: lock.description });
    return "failed";
  }

  /** Our record as of now, with a first transition count. */
  #recordNow(): LeaderRecord {
    const { world: { clock }, lock, leaseDurationMs } = this.#options;
    const now = formatMicroTime(clock.wallMs());
    const durationSeconds = wholeSeconds(leaseDurationMs);
    return { holder: lock.identity, durationSeconds, acquireTime: now, renewTime: now, transitions: 0 };
  }

  /** Accepts a state that was read or written; its age counts from when the record changed. */
  #observe(seen: SeenLease): void {
    if (!this.#observed || !isSameRecord(seen.record, this.#observed.record)) this.#observedAtMs = this.#nowMs();
    this.#observed = seen;
  }

  #isValid(): boolean {
    return this.#observed !== undefined && this.unchangedMs < this.#observed.record.durationSeconds * 1000;
  }

  #nowMs(): number {
    return this.#options.world.clock.monotonicMs();
  }
}

/** Converts to a Lease's whole seconds. */
export function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** `now` as a renewal of `before`. */
function keeping({ acquireTime, transitions }: LeaderRecord, now: LeaderRecord): LeaderRecord {
  return { ...now, acquireTime, transitions };
}
