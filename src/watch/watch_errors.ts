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
 * The watch should be opened again as it was, after a while: nobody listens, no connection holds until the answer begins, or
 * the server asks for patience.
 */
export function isRetriable(error: unknown): boolean {
  return isConnectionRefused(error) || isConnectionLost(error) || isConnectionTimeout(error) ||
    isTooManyRequests(error);
}

/** The resourceVersion asked for is too old, or of the future: only one chosen by the server will do. */
export function isUnusableResourceVersion(error: unknown): boolean {
  return isExpiredOrGone(error) || isTooLargeResourceVersion(error);
}

/** A list refused for this is worth asking for without a resourceVersion, which an API server that lied may have made up. */
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
