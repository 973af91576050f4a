import type { Status, StatusDetails } from "../api/mod.ts";

/**
 * The API server refused a request or failed to serve it.
 *
 * Decide by the predicates ({@link isNotFound} and so on), never by the message, which is the server's text and ends up
 * in events and conditions. Upstream: `k8s.io/apimachinery/pkg/api/errors` (StatusError).
 *
 * @example
 * ```ts
 * import { isConflict, StatusError } from "kubeloop/client";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new StatusError({ status: "Failure", code: 409, reason: "Conflict", message: "try again" });
 * assertEquals(isConflict(error), true);
 * ```
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message || `the server answered with code ${status.code ?? 0}`, options);
    this.status = status;
  }

  /** The HTTP status code; 0 if the server gave none. */
  get code(): number {
    return this.status.code ?? 0;
  }

  /** Such as `NotFound`; empty if the server gave none. */
  get reason(): string {
    return this.status.reason ?? "";
  }

  get details(): StatusDetails | undefined {
    return this.status.details;
  }

  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds;
  }
}

/** The StatusError that `error` is, or that caused it. */
export function statusErrorOf(error: unknown): StatusError | undefined {
  for (let e = error, depth = 0; e instanceof Error && depth < 8; e = e.cause, depth++) {
    if (e instanceof StatusError) return e;
  }
  return undefined;
}
