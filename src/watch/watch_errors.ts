import {
  isBadRequest,
  isConnectionLost,
  isConnectionRefused,
  isConnectionTimeout,
  isExpired,
  isGone,
  isInvalid,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from "../client/mod.ts";

/**
 * The watch should be reopened unchanged after a delay: the connection was refused or broke before the answer, or the
 * server is overloaded.
 */
export function isRetriable(error: unknown): boolean {
  return isConnectionRefused(error) || isConnectionLost(error) || isConnectionTimeout(error) ||
    isTooManyRequests(error);
}

/** The requested resourceVersion is too old or in the future; the server must choose one. */
export function isUnusableResourceVersion(error: unknown): boolean {
  return isExpiredOrGone(error) || isTooLargeResourceVersion(error);
}

/**
 * A list refused with this error should be retried without a resourceVersion, which a faulty API server may have
 * invented.
 */
export function mayBlameResourceVersion(error: unknown): boolean {
  return isUnusableResourceVersion(error) || isBadRequest(error) || isInvalid(error);
}

export function isExpiredOrGone(error: unknown): boolean {
  return isExpired(error) || isGone(error);
}

/** A watch ended in less than a second without a single event, as behind a proxy that does not stream. */
export class VeryShortWatchError extends Error {
  override readonly name = "VeryShortWatchError";

  constructor(resource: string) {
    super(`very short watch: the watch of ${resource} was closed in less than a second and brought no events`);
  }
}
