import type { SkipReason } from "./informer_metrics.ts";

/** An object came that cannot be read. Its message says why in words that hold nothing of the object. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
  readonly reason: SkipReason;

  constructor(reason: SkipReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
