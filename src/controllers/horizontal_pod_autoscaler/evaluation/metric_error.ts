import { errorText } from "../../running/mod.ts";

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

/** Does a part of the evaluation; what fails is a {@link MetricError}. */
export async function evaluating<T>(reason: string, prefix: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new MetricError(reason, prefix, error);
  }
}

/** Says before an error what was tried: `what` with the text that parts both. */
export async function trying<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}${errorText(error)}`, { cause: error });
  }
}
