import type { LeaseSpec } from "../api/mod.ts";

/** Who leads, as a Lease's spec says it. Times are texts: they are written for people and never compared with a clock. */
export interface LeaderRecord {
  /** Empty when the lock was released. */
  readonly holder: string;
  /** For how long after the last change the holder may be believed alive. */
  readonly durationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

/** The record in a Lease; fields that are missing read as empty or zero. */
export function recordOf(spec: LeaseSpec | undefined): LeaderRecord {
  return {
    holder: spec?.holderIdentity ?? "",
    durationSeconds: spec?.leaseDurationSeconds ?? 0,
    acquireTime: spec?.acquireTime ?? "",
    renewTime: spec?.renewTime ?? "",
    transitions: spec?.leaseTransitions ?? 0,
  };
}

export function specOf(record: LeaderRecord): LeaseSpec {
  return {
    holderIdentity: record.holder,
    leaseDurationSeconds: record.durationSeconds,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  };
}

/**
 * Whether the holder did nothing between two looks. Times count to the microsecond: upstream cuts them to seconds, with
 * which two renewals within one second would look like none, and the holder would be believed dead too early.
 */
export function isSameRecord(a: LeaderRecord, b: LeaderRecord): boolean {
  return a.holder === b.holder && a.durationSeconds === b.durationSeconds && a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime && a.transitions === b.transitions;
}
