/** Electing one leader among several processes through a Lease. */
export { type ElectionRecorder, type LeaderElectorOptions, validateElection } from "./election_options.ts";
export { LeaderElector, LeadershipLostError } from "./leader_elector.ts";
export type { LeaderRecord } from "./leader_record.ts";
export { type LeaseClient, LeaseLock, type LeaseLockOptions, type SeenLease } from "./lease_lock.ts";
export { LeaseReleases, type LeaseReleasesOptions } from "./lease_releases.ts";
export { type FenceReading, FenceView, type LentFence, SharedFence } from "./shared_fence.ts";
export type { BothClocks } from "./fence.ts";
export type { RequestOptions } from "./lease_lock.ts";
