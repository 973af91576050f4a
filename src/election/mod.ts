/** Electing one leader among several processes through a Lease. */
export { type ElectionRecorder, type LeaderElectorOptions, validateElection } from "./election_options.ts";
export { LeaderElector } from "./leader_elector.ts";
export type { LeaderRecord } from "./leader_record.ts";
export { type LeaseClient, LeaseLock, type LeaseLockOptions } from "./lease_lock.ts";
