import type { KubeObject } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { LeaseLock } from "./lease_lock.ts";
import type { SharedFence } from "./shared_fence.ts";

/**
 * The random addition to the retry period between acquisition tries, as a factor, so that candidates do not try
 * together.
 */
export const JITTER_FACTOR = 1.2;

/** Records "became leader" events; an `EventRecorder` is one. */
export interface ElectionRecorder {
  event(object: KubeObject, type: "Normal", reason: string, message: string): void;
}

/** Options of `LeaderElector`. */
export interface LeaderElectorOptions {
  readonly world: Pick<World, "clock" | "random" | "log">;
  readonly lock: LeaseLock;
  /** How long others wait for a silent leader; whole seconds count. 15 s in the controller managers. */
  readonly leaseDurationMs: number;
  /** How long a leader tries to renew before it gives up. 10 s in the controller managers. */
  readonly renewDeadlineMs: number;
  /** The time between tries. 2 s in the controller managers. */
  readonly retryPeriodMs: number;
  /** Releases the lease at the end, after `onStartedLeading` has settled. */
  readonly releaseOnCancel?: boolean;
  /** The metric label and the name in the health check; the Lease's name if absent. */
  readonly name?: string;
  /**
   * The work of a leader. `signal` aborts when leading ends, for whatever reason; nothing may be written after that,
   * nor while `mayWrite()` is false.
   */
  onStartedLeading(signal: AbortSignal): void | Promise<void>;
  /** Called when the elector ends, even if it never led. */
  onStoppedLeading(): void;
  /** Called when another leader was seen, the first one included; not for a released lock that was never held. */
  onNewLeader?(identity: string): void;
  /** Resolves when the lease is next given up: a candidate then tries at once. See `LeaseReleases`. */
  whenReleased?(): Promise<void>;
  /** Kept open while `mayWrite()` is true, for threads that cannot call it. */
  readonly sharedFence?: SharedFence;
  readonly recorder?: ElectionRecorder;
  readonly metrics?: MetricsRegistry;
}

/**
 * Checks the durations as upstream does.
 *
 * @throws {RangeError} If they contradict each other, with upstream's message.
 * @throws {TypeError} If the lock has no identity.
 */
export function validateElection(
  { lock, leaseDurationMs, renewDeadlineMs, retryPeriodMs }: Pick<
    LeaderElectorOptions,
    "lock" | "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs"
  >,
): void {
  const require = (holds: boolean, message: string) => {
    if (!holds) throw new RangeError(message);
  };
  require(leaseDurationMs > renewDeadlineMs, "leaseDuration must be greater than renewDeadline");
  require(
    renewDeadlineMs > retryPeriodMs * JITTER_FACTOR,
    "renewDeadline must be greater than retryPeriod*JitterFactor",
  );
  // A Lease has whole seconds, so less than one second counts as zero.
  require(leaseDurationMs >= 1000, "leaseDuration must be greater than zero");
  require(renewDeadlineMs > 0, "renewDeadline must be greater than zero");
  require(retryPeriodMs > 0, "retryPeriod must be greater than zero");
  if (!lock.identity) throw new TypeError("Lock identity is empty");
}
