/** What a cloud's answer means to the controllers that asked. Other errors are logged and tried again. */
export type CloudErrorKind = "instanceNotFound" | "notImplemented" | "implementedElsewhere" | "conflict" | "retry";

/** An error whose class says what to do, on either side of a thread's or a process's border. */
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

/** The cloud does not do this. */
export class NotImplementedError extends CloudError {
  override readonly name = "NotImplementedError";

  constructor(message = "unimplemented", options?: ErrorOptions) {
    super(message, options);
  }
}

/** Somebody else sees to this load balancer. It counts only as the error itself, not as the cause of another one. */
export class ImplementedElsewhereError extends CloudError {
  override readonly name = "ImplementedElsewhereError";

  constructor(message = "implemented by alternate to cloud provider", options?: ErrorOptions) {
    super(message, options);
  }
}

/** Somebody else changes the same thing just now: what was asked for may be asked for again at once. */
export class CloudConflictError extends CloudError {
  override readonly name = "CloudConflictError";
}

/** What was asked for is to be asked for again after a time that the cloud knows best. It may be the cause of another error. */
export class RetryError extends CloudError {
  override readonly name = "RetryError";
  readonly afterMs: number;

  /** @param afterMs In milliseconds. */
  constructor(message: string, afterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

/** What is left of an error where only plain data passes. */
export interface CloudFailure {
  /** `other`: no error with a meaning of its own. */
  readonly kind: CloudErrorKind | "other";
  readonly message: string;
  /** Of `retry`: in milliseconds. */
  readonly afterMs?: number;
}

/** How far the causes of an error are followed. */
const DEEPEST_CAUSE = 8;

/** @returns The `RetryError` that `error` is or was caused by. */
export function retryErrorOf(error: unknown): RetryError | undefined {
  for (let e = error, depth = 0; e instanceof Error && depth < DEEPEST_CAUSE; e = e.cause, depth++) {
    if (e instanceof RetryError) return e;
  }
  return undefined;
}

/** An error as plain data. */
export function failureOf(error: unknown): CloudFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InstanceNotFoundError) return { kind: "instanceNotFound", message };
  if (error instanceof NotImplementedError) return { kind: "notImplemented", message };
  if (error instanceof ImplementedElsewhereError) return { kind: "implementedElsewhere", message };
  if (error instanceof CloudConflictError) return { kind: "conflict", message };
  const retry = retryErrorOf(error);
  return retry ? { kind: "retry", message, afterMs: retry.afterMs } : { kind: "other", message };
}

/** The error that such plain data tells of. */
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
