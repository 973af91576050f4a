import type { LeaseSpec } from "../api/mod.ts";

/** The leader in a Lease's spec. Times are texts: they are for people and never compared with a clock. */
export interface LeaderRecord {
  /** Empty when the lock was released. */
  readonly holder: string;
  /** How long after the last change the holder counts as alive. */
  readonly durationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

/**
 * The record in a Lease; fields that are missing read as empty or zero.
 *
 * @throws {TypeError} If a field has the wrong type: such a Lease does not show who leads.
 */
export function recordOf(spec: LeaseSpec | null | undefined): LeaderRecord {
  return {
    holder: textOf(spec, "holderIdentity"),
    durationSeconds: int32Of(spec, "leaseDurationSeconds"),
    acquireTime: textOf(spec, "acquireTime"),
    renewTime: textOf(spec, "renewTime"),
    transitions: int32Of(spec, "leaseTransitions"),
  };
}

function textOf(spec: LeaseSpec | null | undefined, field: keyof LeaseSpec): string {
  const value: unknown = spec?.[field] ?? "";
  if (typeof value !== "string") throw new TypeError(`Cannot read a Lease: spec.${field} is not text`);
  return value;
}

function int32Of(spec: LeaseSpec | null | undefined, field: keyof LeaseSpec): number {
  const value: unknown = spec?.[field] ?? 0;
  if (typeof value !== "number" || (value | 0) !== value) {
    throw new TypeError(`Cannot read a Lease: spec.${field} is not a 32-bit integer`);
  }
  return value;
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
 * Whether the holder did nothing between two reads. Times are compared to the microsecond: upstream truncates them to
 * seconds, so two renewals within one second look like none and the holder counts as dead too early.
 */
export function isSameRecord(a: LeaderRecord, b: LeaderRecord): boolean {
  return a.holder === b.holder && a.durationSeconds === b.durationSeconds && a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime && a.transitions === b.transitions;
}
