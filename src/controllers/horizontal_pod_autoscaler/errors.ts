import { errorText } from "../../base/mod.ts";
import type { MetricStatus } from "../../api/mod.ts";

/** What is wrong is in the object itself, and stays wrong until it is changed. */
export class SpecError extends Error {
  override readonly name = "SpecError";
}

/** A metric that could not be evaluated. */
export class MetricError extends Error {
  override readonly name = "MetricError";
  /** For the event and the condition. */
  readonly reason: string;
  /** What went wrong, without what it was for. */
  readonly why: string;

  /** @param prefix What it was for. */
  constructor(reason: string, prefix: string, cause: unknown) {
    const why = errorText(cause);
    super(`${prefix}${why}`, { cause });
    this.reason = reason;
    this.why = why;
  }
}

/** Nothing is proposed: too little is known. */
export class ProposalError extends Error {
  override readonly name = "ProposalError";
  /** Of the metrics that were evaluated. */
  readonly statuses: readonly MetricStatus[];

  constructor(message: string, statuses: readonly MetricStatus[] = [], cause?: unknown) {
    super(message, { cause });
    this.statuses = statuses;
  }
}

/** A target could not be read: what is said of it, and what of the sync. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  /** Whether the object is at fault. */
  readonly isSpec: boolean;
  /** What went wrong, without where. */
  readonly reason: string;

  constructor(where: string, cause: unknown) {
    super(`${where}: ${errorText(cause)}`, { cause });
    this.reason = errorText(cause);
    this.isSpec = cause instanceof SpecError;
  }
}
