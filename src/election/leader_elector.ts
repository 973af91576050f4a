import { formatMicroTime } from "../api/mod.ts";
import { type Counter, type Gauge, MetricsRegistry, sleep } from "../base/mod.ts";
import { Deadline } from "../client/mod.ts";
import { JITTER_FACTOR, type LeaderElectorOptions, validateElection } from "./election_options.ts";
import { Fence } from "./fence.ts";
import { LeadershipLostError } from "./leadership_lost_error.ts";
import { isSameRecord, type LeaderRecord } from "./leader_record.ts";
import type { SeenLease } from "./lease_lock.ts";
import { orAborted } from "./or_aborted.ts";

/** How much longer than its lease a leader may go without a renewal before it reports itself unhealthy. */
const TOLERATED_EXPIRY_MS = 20_000;

/**
 * Takes part in the election of one leader through a Lease.
 *
 * Contract:
 * 1. Times in the Lease are never compared with a clock: a lease is valid until its own duration has passed, by the monotonic
 *    clock, since this process saw its record change.
 * 2. A valid lease of somebody else is never taken; a released or expired one is, and the transitions grow by one.
 * 3. A renewal keeps the acquire time and the transitions.
 * 4. Tries to acquire are jittered; renewals are not.
 * 5. A leader that could not renew for `renewDeadlineMs` stops leading, at once if its lease names somebody else or nobody:
 *    others may have led meanwhile. It does not try again by itself.
 * 6. The signal given to `onStartedLeading` aborts as soon as leading ends, with a {@link LeadershipLostError} as its reason
 *    if it was lost; `onStoppedLeading` is called at the end of `run`, even if it never led.
 * 7. Of all electors of one Lease at most one has a true `mayWrite()` at any time, if their monotonic clocks run at one rate:
 *    it is true only while leading and for less than the lease duration since the last successful renewal was SENT.
 * 8. With `releaseOnCancel` the lease is given up, but only if it is still ours and the leader's work has settled.
 *
 * Upstream: `k8s.io/client-go/tools/leaderelection/leaderelection.go`. There a leader that was displaced goes on trying, and
 * leading, until its deadline, and may take a free lease back as if nothing had happened.
 *
 * @example
 * ```ts
 * import { LeaderElector, LeaseLock } from "./mod.ts";
 * import { FakeWorld } from "../base/mod.ts";
 * import { StatusError } from "../client/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const world = new FakeWorld();
 * const client = { // in earnest a `Client` of its own
 *   get: () => Promise.reject(new StatusError({ code: 404, reason: "NotFound" })),
 *   create: <T>(_resource: unknown, lease: T) => Promise.resolve(lease),
 *   update: <T>(_resource: unknown, lease: T) => Promise.resolve(lease),
 * };
 * const identity = `node-1_${world.random.uuid()}`;
 * const stop = new AbortController();
 * const elector = new LeaderElector({
 *   world,
 *   lock: new LeaseLock({ client, namespace: "kube-system", name: "my-controller", identity }),
 *   leaseDurationMs: 15_000,
 *   renewDeadlineMs: 10_000,
 *   retryPeriodMs: 2000,
 *   onStartedLeading: (signal) => world.log.info("Leading", { until: signal }),
 *   onStoppedLeading: () => world.log.info("No longer the leader"),
 * });
 * const running = elector.run(stop.signal);
 * await world.clock.advance(3000);
 * assertEquals(elector.mayWrite(), true);
 * stop.abort();
 * await running;
 * assertEquals(elector.mayWrite(), false);
 * ```
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #name: string;
  readonly #fence: Fence;
  readonly #status: Gauge;
  readonly #slowPath: Counter;
  #running = false;
  #leading: AbortController | undefined;
  /** What we believe, and write on: what was read last, or what we wrote since. */
  #observed: SeenLease | undefined;
  /** When its record was first seen. */
  #observedAtMs = -Infinity;
  /** While leading, the server was seen to name somebody else, or nobody. */
  #isDisplaced = false;
  #reportedLeader = "";
  #awaitsRelease = false;
  #tryEarly: () => void = () => {};

  /** @throws {RangeError | TypeError} If the options do not fit together, with upstream's words. */
  constructor(options: LeaderElectorOptions) {
    validateElection(options);
    this.#options = options;
    this.#name = options.name ?? options.lock.name;
    // Others wait for the duration in the Lease, which has whole seconds.
    this.#fence = new Fence(options.world.clock, Math.floor(options.leaseDurationMs / 1000) * 1000);
    const metrics = options.metrics ?? new MetricsRegistry();
    this.#status = metrics.gauge({
      name: "leader_election_master_status",
      help:
        "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. " +
        "'name' is the string used to identify the lease. Please make sure to group by name.",
      labels: ["name"],
    });
    this.#slowPath = metrics.counter({
      name: "leader_election_slowpath_total",
      help: "Total number of slow path exercised in renewing leader leases. " +
        "'name' is the string used to identify the lease. Please make sure to group by name.",
      labels: ["name"],
    });
    this.#status.set(0, [this.#name]);
    this.#slowPath.inc([this.#name], 0);
  }

  /** Whether this process leads, as far as it knows. For a decision to write, ask {@link mayWrite}. */
  get isLeader(): boolean {
    return this.#leading !== undefined && !this.#leading.signal.aborted;
  }

  /** Whether a write may be sent now: we lead, and nobody else can have taken over yet. Ask right before each write. */
  mayWrite(): boolean {
    return this.isLeader && this.#fence.isOpen;
  }

  /** Who is believed to lead; empty if nobody, or nothing was seen yet. */
  get leader(): string {
    return this.#observed?.record.holder ?? "";
  }

  /** The health check `leaderElection`: what is wrong, or `undefined`. A standby is always healthy. */
  check(): Error | undefined {
    const silentMs = this.#nowMs() - this.#observedAtMs;
    if (!this.isLeader || silentMs <= this.#options.leaseDurationMs + TOLERATED_EXPIRY_MS) return undefined;
    return new Error(`failed election to renew leadership on lease ${this.#name}`);
  }

  /**
   * Waits for leadership, then leads until it is lost or `signal` aborts. Resolves after `onStoppedLeading` and says which of
   * both it was; run it again to take part again.
   */
  async run(signal: AbortSignal): Promise<"lost" | "stopped"> {
    if (this.#running) throw new Error(`Cannot run the elector of lease "${this.#name}": it runs already`);
    this.#running = true;
    try {
      return await this.#acquire(signal) ? await this.#lead(signal) : "stopped";
    } finally {
      this.#running = false;
      this.#options.onStoppedLeading();
    }
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { world: { clock, log }, lock, renewDeadlineMs } = this.#options;
    if (signal.aborted) return false;
    log.info("Attempting to acquire leader lease...", { lock: lock.description });
    do {
      using deadline = new Deadline(clock, { signal, timeoutMs: renewDeadlineMs, reason: tooLate });
      if (await this.#try(deadline.signal)) {
        this.#recordEvent("became leader");
        log.info("Successfully acquired lease", { lock: lock.description });
        return true;
      }
      log.verbose(4, "Failed to acquire lease", { lock: lock.description });
    } while (await this.#untilNextTry(signal));
    return false;
  }

  /** The retry period with jitter, or until somebody gives the lease up. */
  async #untilNextTry(signal: AbortSignal): Promise<boolean> {
    const { world: { clock, random }, retryPeriodMs } = this.#options;
    if (signal.aborted) return false;
    const early = new AbortController();
    const stop = () => early.abort();
    signal.addEventListener("abort", stop, { once: true });
    this.#tryEarly = stop;
    void this.#awaitRelease();
    await sleep(clock, retryPeriodMs * (1 + random.float() * JITTER_FACTOR), early.signal);
    signal.removeEventListener("abort", stop);
    return !signal.aborted;
  }

  /** Once for many tries: what waits for a promise that may never be kept is never forgotten. */
  async #awaitRelease(): Promise<void> {
    if (this.#awaitsRelease || !this.#options.whenReleased) return;
    this.#awaitsRelease = true;
    await this.#options.whenReleased();
    this.#awaitsRelease = false;
    this.#tryEarly();
  }

  async #lead(signal: AbortSignal): Promise<"lost" | "stopped"> {
    const { world: { log }, lock, releaseOnCancel, renewDeadlineMs } = this.#options;
    const leading = this.#leading = new AbortController();
    const stop = () => leading.abort(signal.reason);
    signal.addEventListener("abort", stop);
    leading.signal.addEventListener("abort", () => this.#options.sharedFence?.close(), { once: true });
    if (signal.aborted) stop();
    this.#share();
    this.#status.set(1, [this.#name]);
    this.#isDisplaced = false;
    const work = this.#start(leading.signal);
    await this.#renewUntilLost(signal);
    const isLost = !signal.aborted;
    const why = this.#isDisplaced
      ? `it is held by "${this.leader}" now`
      : `it was not renewed for ${renewDeadlineMs} ms`;
    // Before anything else: from here on nothing may be written.
    if (isLost) leading.abort(new LeadershipLostError(`Leadership on lease "${lock.description}" was lost: ${why}`));
    signal.removeEventListener("abort", stop);
    this.#status.set(0, [this.#name]);
    log.info("Failed to renew lease", { lock: lock.description, stopped: !isLost });
    if (releaseOnCancel) await this.#releaseAfter(work);
    this.#fence.close();
    this.#recordEvent("stopped leading");
    return isLost ? "lost" : "stopped";
  }

  /** Lets other threads know until when {@link mayWrite} is true. */
  #share(): void {
    if (this.isLeader) this.#options.sharedFence?.openUntil(this.#fence.closesAtMs);
  }

  /** Runs the leader's work; resolves when it has settled. */
  async #start(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.onStartedLeading(signal);
    } catch (error) {
      this.#options.world.log.error("The leader's work failed", { err: error, lock: this.#options.lock.description });
    }
  }

  async #renewUntilLost(signal: AbortSignal): Promise<void> {
    const { world: { clock }, retryPeriodMs } = this.#options;
    while (await this.#renew(signal)) {
      if (!await sleep(clock, retryPeriodMs, signal)) return;
    }
  }

  /** Tries until it worked or the deadline has passed; the starts of the tries are a retry period apart. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    const { world: { clock, log }, lock, retryPeriodMs, renewDeadlineMs } = this.#options;
    using deadline = new Deadline(clock, { signal, timeoutMs: renewDeadlineMs, reason: tooLate });
    let pauseMs: number;
    do {
      const startedMs = this.#nowMs();
      if (await this.#try(deadline.signal)) {
        log.verbose(5, "Successfully renewed lease", { lock: lock.description });
        return true;
      }
      if (this.#isDisplaced) return false;
      pauseMs = Math.max(0, startedMs + retryPeriodMs - this.#nowMs());
    } while (await sleep(clock, pauseMs, deadline.signal));
    return false;
  }

  /** One try, given up when `signal` aborts, and the news from it. */
  async #try(signal: AbortSignal): Promise<boolean> {
    const succeeded = !signal.aborted && await orAborted(this.#tryAcquireOrRenew(signal), signal, false);
    this.#reportLeader();
    return succeeded;
  }

  /** Never rejects. Once `signal` has aborted, nothing that comes back counts any more. */
  async #tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const { world: { log }, lock } = this.#options;
    let want = this.#claim();
    const ours = this.#observed?.record.holder === lock.identity && this.#isValid() ? this.#observed : undefined;
    if (ours) {
      want = { ...want, acquireTime: ours.record.acquireTime, transitions: ours.record.transitions };
      const failure = await this.#write(() => lock.update(ours, want, signal), signal);
      if (!failure) return true;
      log.verbose(2, "Failed to update lease optimistically, falling back to slow path", {
        err: failure.error,
        lock: lock.description,
      });
      if (signal.aborted) return false;
    }
    let read: SeenLease | undefined;
    try {
      read = await lock.get(signal);
    } catch (error) {
      this.#logFailure("Error retrieving lease lock", error);
      return false;
    }
    if (signal.aborted) return false;
    if (read) return await this.#takeOrKeep(read, signal);
    const failure = await this.#write(() => lock.create(want, signal), signal);
    if (failure) this.#logFailure("Error initially creating lease lock", failure.error);
    return !failure;
  }

  /** The slow path, once it is known what is on the server. */
  async #takeOrKeep(seen: SeenLease, signal: AbortSignal): Promise<boolean> {
    const { world: { log }, lock } = this.#options;
    this.#observe(seen);
    const { holder, acquireTime, transitions } = seen.record;
    const isOurs = holder === lock.identity;
    if (!isOurs && this.isLeader) {
      this.#isDisplaced = true;
      return false;
    }
    if (holder && !isOurs && this.#isValid()) {
      log.verbose(4, "Lease is held by and has not yet expired", { lock: lock.description, holder });
      return false;
    }
    if (isOurs) this.#slowPath.inc([this.#name]);
    const want = isOurs
      ? { ...this.#claim(), acquireTime, transitions }
      : { ...this.#claim(), transitions: transitions + 1 };
    const failure = await this.#write(() => lock.update(seen, want, signal), signal);
    if (failure) this.#logFailure("Failed to update lease", failure.error);
    return !failure;
  }

  /** Writes our claim; the fence counts from before the request is sent. */
  async #write(
    send: () => Promise<SeenLease>,
    signal: AbortSignal,
  ): Promise<{ readonly error: unknown } | undefined> {
    const startedMs = this.#nowMs();
    try {
      const written = await send();
      signal.throwIfAborted();
      this.#observe(written);
      this.#fence.renewed(startedMs);
      this.#share();
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** Gives the lease up once `work` has settled, unless that takes so long that the lease has expired anyway. */
  async #releaseAfter(work: Promise<void>): Promise<void> {
    const { world: { clock, log }, lock, renewDeadlineMs } = this.#options;
    using expiry = new Deadline(clock, { timeoutMs: Math.max(1, this.#fence.remainingMs), reason: tooLate });
    if (!await orAborted(work.then(() => true), expiry.signal, false)) {
      log.warn("Not releasing the lease: the leader's work has not ended", { lock: lock.description });
      return;
    }
    using deadline = new Deadline(clock, { timeoutMs: renewDeadlineMs, reason: tooLate });
    await orAborted(this.#release(deadline.signal), deadline.signal, undefined);
  }

  async #release(signal: AbortSignal): Promise<void> {
    const { world: { log }, lock } = this.#options;
    try {
      const seen = await lock.get(signal);
      if (!seen) return log.info("Lease lock not found", { lock: lock.description });
      if (signal.aborted) return;
      this.#observe(seen);
      // Whoever may have taken it meanwhile must not lose it by our release.
      if (seen.record.holder !== lock.identity) return;
      const free = { ...this.#claim(), holder: "", durationSeconds: 1, transitions: seen.record.transitions };
      const released = await lock.update(seen, free, signal);
      if (!signal.aborted) this.#observe(released);
    } catch (error) {
      log.error("Failed to release lease", { err: error, lock: lock.description });
    }
  }

  /** A try that was stopped has not failed. */
  #logFailure(what: string, error: unknown): void {
    const { world: { log }, lock } = this.#options;
    if (error instanceof DOMException && error.name === "AbortError") return;
    log.error(what, { err: error, lock: lock.description });
  }

  /** Our record as of now, with a first transition count. */
  #claim(): LeaderRecord {
    const { world: { clock }, lock, leaseDurationMs } = this.#options;
    const now = formatMicroTime(clock.wallMs());
    const durationSeconds = Math.floor(leaseDurationMs / 1000);
    return { holder: lock.identity, durationSeconds, acquireTime: now, renewTime: now, transitions: 0 };
  }

  /** Believes what was read or written; the time counts from when the record changed. */
  #observe(seen: SeenLease): void {
    if (!this.#observed || !isSameRecord(seen.record, this.#observed.record)) this.#observedAtMs = this.#nowMs();
    this.#observed = seen;
  }

  #isValid(): boolean {
    return this.#observed !== undefined &&
      this.#observedAtMs + this.#observed.record.durationSeconds * 1000 > this.#nowMs();
  }

  #reportLeader(): void {
    const { onNewLeader, world: { log }, lock } = this.#options;
    if (this.leader === this.#reportedLeader) return;
    const leader = this.#reportedLeader = this.leader;
    if (!onNewLeader) return;
    // Not from within the try: what the listener does must not hold it up.
    void Promise.resolve().then(() => onNewLeader(leader)).catch((error: unknown) => {
      log.error("Being told of a new leader failed", { err: error, lock: lock.description });
    });
  }

  #recordEvent(what: string): void {
    const { recorder, lock } = this.#options;
    recorder?.event(lock.objectOf(this.#observed), "Normal", "LeaderElection", `${lock.identity} ${what}`);
  }

  #nowMs(): number {
    return this.#options.world.clock.monotonicMs();
  }
}

function tooLate(): Error {
  return new Error("The deadline of the leader election has passed");
}
