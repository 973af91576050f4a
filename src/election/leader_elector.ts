import type { Lease } from "../api/mod.ts";
import { orAborted, sleep } from "../base/mod.ts";
import { Deadline } from "../client/mod.ts";
import { CandidatePause } from "./candidate_pause.ts";
import { ElectionMetrics } from "./election_metrics.ts";
import { type LeaderElectorOptions, validateElection } from "./election_options.ts";
import { Fence } from "./fence.ts";
import { LeaderPause } from "./leader_pause.ts";
import { type ClaimOutcome, LeaseClaim, wholeSeconds } from "./lease_claim.ts";

/** The reason of a leader's signal if it lost the lease: the process must write nothing more and should exit. */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";
}

/** How much longer than its lease a leader may go without a renewal before it reports itself unhealthy. */
const TOLERATED_EXPIRY_MS = 20_000;

/**
 * Takes part in the election of one leader through a Lease.
 *
 * Contract:
 * 1. A valid lease of somebody else is never taken; validity is never decided by comparing its times with a clock:
 *    {@link LeaseClaim}.
 * 2. Tries to acquire are jittered; renewals are not.
 * 3. A leader that could not renew for `renewDeadlineMs` stops leading, at once if its lease names somebody else or
 *    nobody: others may have led meanwhile. It does not try again by itself. Nor does a leader go on that did not run
 *    for so long: what it does once it runs again is not counted.
 * 4. The signal given to `onStartedLeading` aborts as soon as leading ends, with a {@link LeadershipLostError} as its
 *    reason if it was lost; `onStoppedLeading` is called at the end of `run`, even if it never led.
 * 5. Of all electors of one Lease at most one has a true `mayWrite()` at any time, if their monotonic clocks run at one
 *    rate: it is true only while leading and for less than the lease duration since the last successful renewal was
 *    SENT, by the monotonic and by the wall clock.
 * 6. With `releaseOnCancel` the lease is given up, but only if it is still ours and the leader's work has settled.
 * 7. A Lease that is seen deleted or edited makes `mayWrite()` false at once, as does a machine that was suspended for
 *    the lease. It stays false until a renewal that was sent afterwards succeeds, and one is tried at once.
 *
 * Upstream: `k8s.io/client-go/tools/leaderelection/leaderelection.go`. There a leader that was displaced goes on
 * trying, and leading, until its deadline, and may take a free lease back as if nothing had happened.
 *
 * @example
 * ```ts
 * import { StatusError } from "kubeloop/client";
 * import { LeaderElector, LeaseLock } from "kubeloop/election";
 * import { FakeWorld } from "kubeloop/world";
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
  readonly #metrics: ElectionMetrics;
  readonly #claim: LeaseClaim;
  readonly #candidatePause: CandidatePause;
  readonly #leaderPause: LeaderPause;
  #running = false;
  #leading: AbortController | undefined;
  #reportedLeader = "";

  /** @throws {RangeError | TypeError} If the options contradict each other, with upstream's message. */
  constructor(options: LeaderElectorOptions) {
    validateElection(options);
    const { world, lock, leaseDurationMs, retryPeriodMs, name = lock.name, metrics } = options;
    this.#options = options;
    this.#name = name;
    // Others wait for the duration in the Lease, which is in whole seconds.
    const fence = this.#fence = new Fence(world.clock, wholeSeconds(leaseDurationMs) * 1000);
    this.#metrics = new ElectionMetrics(name, metrics);
    this.#claim = new LeaseClaim({ world, lock, leaseDurationMs, fence, onSlowPath: () => this.#metrics.slowPath() });
    this.#candidatePause = new CandidatePause(options);
    this.#leaderPause = new LeaderPause({ clock: world.clock, fence, retryPeriodMs });
  }

  /** Whether this process leads, as far as it knows. For a decision to write, ask {@link mayWrite}. */
  get isLeader(): boolean {
    return this.#leading !== undefined && !this.#leading.signal.aborted;
  }

  /**
   * Whether a write may be sent now: we lead, and nobody else can have taken over yet. Call it immediately before each
   * write.
   */
  mayWrite(): boolean {
    return this.isLeader && this.#fence.isOpen;
  }

  /**
   * Takes the Lease as a watch shows it, so that a leader need not wait for its next renewal; `undefined` if it is
   * gone.
   */
  observe(lease: Lease | undefined): void {
    if (!this.#claim.isEndangeredBy(lease)) return;
    const { world: { log }, lock, sharedFence } = this.#options;
    // Also for a candidate: the answer that makes it the leader may be on its way.
    this.#fence.close();
    if (!this.isLeader) return;
    sharedFence?.close();
    const holder = lease?.spec?.holderIdentity ?? "";
    log.warn("The lease was changed by somebody else: writing nothing until it is renewed", {
      lock: lock.description,
      holder,
      isDeleted: lease === undefined,
    });
    this.#leaderPause.end();
  }

  /** Who is believed to lead; empty if nobody, or nothing was seen yet. */
  get leader(): string {
    return this.#claim.holder;
  }

  /** The health check `leaderElection`: what is wrong, or `undefined`. A standby is always healthy. */
  check(): Error | undefined {
    const toleratedMs = this.#options.leaseDurationMs + TOLERATED_EXPIRY_MS;
    if (!this.isLeader || this.#claim.unchangedMs <= toleratedMs) return undefined;
    return new Error(`failed election to renew leadership on lease ${this.#name}`);
  }

  /**
   * Waits for leadership, then leads until it is lost or `signal` aborts. Resolves after `onStoppedLeading` with which
   * of the two it was; call it again to take part again.
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
    const { world: { log }, lock, renewDeadlineMs } = this.#options;
    if (signal.aborted) return false;
    log.info("Attempting to acquire leader lease...", { lock: lock.description });
    do {
      using deadline = this.#deadline(renewDeadlineMs, signal);
      if (await this.#try(deadline.signal) === "held") {
        this.#recordEvent("became leader");
        log.info("Successfully acquired lease", { lock: lock.description });
        return true;
      }
      log.verbose(4, "Failed to acquire lease", { lock: lock.description });
    } while (await this.#candidatePause.wait(signal));
    return false;
  }

  async #lead(signal: AbortSignal): Promise<"lost" | "stopped"> {
    const { world: { log }, lock, releaseOnCancel } = this.#options;
    const leading = this.#leading = new AbortController();
    const stop = () => leading.abort(signal.reason);
    signal.addEventListener("abort", stop);
    leading.signal.addEventListener("abort", () => this.#options.sharedFence?.close(), { once: true });
    if (signal.aborted) stop();
    this.#share();
    this.#metrics.leads(true);
    const work = this.#start(leading.signal);
    const why = await this.#renewUntilLost(signal);
    const isLost = !signal.aborted;
    // First of all: from now on nothing may be written.
    if (isLost) leading.abort(this.#lossBy(why));
    signal.removeEventListener("abort", stop);
    this.#metrics.leads(false);
    log.info("Failed to renew lease", { lock: lock.description, stopped: !isLost });
    if (releaseOnCancel) await this.#releaseAfter(work);
    this.#fence.close();
    this.#recordEvent("stopped leading");
    return isLost ? "lost" : "stopped";
  }

  /** Shares with other threads until when {@link mayWrite} is true. */
  #share(): void {
    const { closesAt } = this.#fence;
    if (this.isLeader && closesAt) this.#options.sharedFence?.openUntil(closesAt);
  }

  /** Runs the leader's work; resolves when it has settled. */
  async #start(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.onStartedLeading(signal);
    } catch (error) {
      this.#options.world.log.error("The leader's work failed", { err: error, lock: this.#options.lock.description });
    }
  }

  /** Renews the lease while that succeeds, and returns how it ended. */
  async #renewUntilLost(signal: AbortSignal): Promise<ClaimOutcome> {
    const { world: { clock }, sharedFence } = this.#options;
    let dueMs: number | undefined = clock.monotonicMs();
    for (;;) {
      const outcome = await this.#renew(dueMs, signal);
      if (outcome !== "held") return outcome;
      dueMs = await this.#leaderPause.wait(signal);
      if (!this.#fence.isOpen) sharedFence?.close();
      if (dueMs === undefined) return outcome;
    }
  }

  /** Tries until it is held, or others hold it, or the deadline has passed; tries start a retry period apart. */
  async #renew(dueMs: number, signal: AbortSignal): Promise<ClaimOutcome> {
    const { world: { clock, log }, lock, renewDeadlineMs, retryPeriodMs } = this.#options;
    const endMs = dueMs + renewDeadlineMs;
    const leftMs = endMs - clock.monotonicMs();
    if (leftMs <= 0) return "failed";
    using deadline = this.#deadline(leftMs, signal);
    let pauseMs: number;
    do {
      const startedMs = clock.monotonicMs();
      const outcome = await this.#try(deadline.signal);
      if (outcome === "displaced") return outcome;
      // Its timer is late if this thread did not run.
      if (clock.monotonicMs() >= endMs) return "failed";
      if (outcome === "held") {
        this.#share();
        log.verbose(5, "Successfully renewed lease", { lock: lock.description });
        return outcome;
      }
      pauseMs = Math.max(0, startedMs + retryPeriodMs - clock.monotonicMs());
    } while (await sleep(clock, pauseMs, deadline.signal));
    return "failed";
  }

  /** Makes one try, abandoned when `signal` aborts, and reports changes. */
  async #try(signal: AbortSignal): Promise<ClaimOutcome> {
    const { isLeader } = this;
    const outcome = signal.aborted
      ? "failed"
      : await orAborted<ClaimOutcome>(this.#claim.hold(signal, { isLeader }), signal, "failed");
    this.#reportLeader();
    return outcome;
  }

  #lossBy(outcome: ClaimOutcome): LeadershipLostError {
    const { lock, renewDeadlineMs } = this.#options;
    const holder = this.leader === "" ? "nobody" : `"${this.leader}"`;
    const why = outcome === "displaced"
      ? `it is held by ${holder} now`
      : `it was not renewed for ${renewDeadlineMs} ms`;
    return new LeadershipLostError(`Leadership on lease "${lock.description}" was lost: ${why}`);
  }

  /** Releases the lease once `work` has settled, unless the lease has expired by then. */
  async #releaseAfter(work: Promise<void>): Promise<void> {
    const { world: { clock, log }, lock, renewDeadlineMs } = this.#options;
    using expiry = new Deadline(clock, { timeoutMs: Math.max(1, this.#fence.remainingMs), reason: tooLate });
    if (!await orAborted(work.then(() => true), expiry.signal, false)) {
      log.warn("Not releasing the lease: the leader's work has not ended", { lock: lock.description });
      return;
    }
    using deadline = this.#deadline(renewDeadlineMs);
    await orAborted(this.#claim.release(deadline.signal), deadline.signal, undefined);
  }

  /** A deadline for requests that start now; `signal` aborts them earlier. */
  #deadline(timeoutMs: number, signal?: AbortSignal): Deadline {
    return new Deadline(this.#options.world.clock, { signal, timeoutMs, reason: tooLate });
  }

  #reportLeader(): void {
    const { onNewLeader, world: { log }, lock } = this.#options;
    if (this.leader === this.#reportedLeader) return;
    const leader = this.#reportedLeader = this.leader;
    if (!onNewLeader) return;
    // Not within the try, so that the listener cannot delay it.
    void Promise.resolve().then(() => onNewLeader(leader)).catch((error: unknown) => {
      log.error("The callback for a new leader failed", { err: error, lock: lock.description });
    });
  }

  #recordEvent(what: string): void {
    const { recorder, lock } = this.#options;
    recorder?.event(lock.objectOf(this.#claim.observed), "Normal", "LeaderElection", `${lock.identity} ${what}`);
  }
}

function tooLate(): Error {
  return new Error("The deadline of the leader election has passed");
}
