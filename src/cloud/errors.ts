import { errorText } from "../base/mod.ts";

/** Errors with a meaning for controllers. Other errors are logged and retried. */
export type CloudErrorKind = "instanceNotFound" | "notImplemented" | "implementedElsewhere" | "conflict" | "retry";

/** An error whose class says what to do; its meaning survives transfer between threads and processes. */
export class CloudError extends Error {
  override readonly name: string = "CloudError";
}

/** There is no such machine. A machine that is merely stopped does exist. */
export class InstanceNotFoundError extends CloudError {
  override readonly name = "InstanceNotFoundError";

  constructor(message = "instance not found", options?: ErrorOptions) {
    super(message, options);
  }
}

/** The cloud does not support this. */
export class NotImplementedError extends CloudError {
  override readonly name = "NotImplementedError";

  constructor(message = "unimplemented", options?: ErrorOptions) {
    super(message, options);
  }
}

/** Another implementation handles this load balancer. Only recognised as the error itself, not as a cause. */
export class ImplementedElsewhereError extends CloudError {
  override readonly name = "ImplementedElsewhereError";

  constructor(message = "implemented by alternate to cloud provider", options?: ErrorOptions) {
    super(message, options);
  }
}

/** Another client is changing the same resource; the call may be retried at once. */
export class CloudConflictError extends CloudError {
  override readonly name = "CloudConflictError";
}

/** The call should be retried after a delay that the cloud names. Also recognised as a cause of another error. */
export class RetryError extends CloudError {
  override readonly name = "RetryError";
  readonly afterMs: number;

  /** @param afterMs In milliseconds. */
  constructor(message: string, afterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

/** Converts an error to plain data. */
export interface CloudFailure {
  /** `other`: an error without a special meaning. */
  readonly kind: CloudErrorKind | "other";
  readonly message: string;
  /** For `retry`, in milliseconds. */
  readonly afterMs?: number;
}

/** How far the causes of an error are followed. */
const DEEPEST_CAUSE = 8;

/** @returns The `RetryError` that `error` is, or that caused it. */
export function retryErrorOf(error: unknown): RetryError | undefined {
  for (let e = error, depth = 0; e instanceof Error && depth < DEEPEST_CAUSE; e = e.cause, depth++) {
    if (e instanceof RetryError) return e;
  }
  return undefined;
}

/** An error as plain data. */
export function failureOf(error: unknown): CloudFailure {
  const message = errorText(error);
  if (error instanceof InstanceNotFoundError) return { kind: "instanceNotFound", message };
  if (error instanceof NotImplementedError) return { kind: "notImplemented", message };
  if (error instanceof ImplementedElsewhereError) return { kind: "implementedElsewhere", message };
  if (error instanceof CloudConflictError) return { kind: "conflict", message };
  const retry = retryErrorOf(error);
  return retry ? { kind: "retry", message, afterMs: retry.afterMs } : { kind: "other", message };
}

/** Converts plain data back to an error. */
export function errorOf({ kind, message, afterMs = 0 }: CloudFailure): Error {
  switch (kind) {
    case "instanceNotFound":
      return new InstanceNotFoundError(message);
    case "notImplemented":
      return new NotImplementedError(message);
    case "implementedElsewhere":
      return new ImplementedElsewhereError(message);
    case "conflict":
      return new CloudConflictError(message);
    case "retry":
      return new RetryError(message, afterMs);
    case "other":
      return new CloudError(message);
  }
}
