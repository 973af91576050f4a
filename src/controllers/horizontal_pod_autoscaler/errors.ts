import { errorText } from "../../base/mod.ts";
import type { MetricStatus } from "../../api/mod.ts";

/** The object itself is invalid until it is changed. */
export class SpecError extends Error {
  override readonly name = "SpecError";
}

/** A metric that could not be evaluated. */
export class MetricError extends Error {
  override readonly name = "MetricError";
  /** For the event and the condition. */
  readonly reason: string;
  /** The reason, without the context. */
  readonly why: string;

  /** @param prefix The context. */
  constructor(reason: string, prefix: string, cause: unknown) {
    const why = errorText(cause);
    super(`${prefix}${why}`, { cause });
    this.reason = reason;
    this.why = why;
  }
}

/** There is no proposal, because too little is known. */
export class ProposalError extends Error {
  override readonly name = "ProposalError";
  /** The statuses of evaluated metrics. */
  readonly statuses: readonly MetricStatus[];

  constructor(message: string, statuses: readonly MetricStatus[] = [], cause?: unknown) {
    super(message, { cause });
    this.statuses = statuses;
  }
}

/** A target could not be read. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  /** Whether the object is invalid. */
  readonly isSpec: boolean;
  /** The reason, without the place. */
  readonly reason: string;

  constructor(where: string, cause: unknown) {
    super(`${where}: ${errorText(cause)}`, { cause });
    this.reason = errorText(cause);
    this.isSpec = cause instanceof SpecError;
  }
}
