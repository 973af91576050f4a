import type { StatusError } from "./status_error.ts";
import { statusErrorOf } from "./status_error.ts";

/** Every reason that the API defines. Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1` (StatusReason). */
const KNOWN_REASONS: ReadonlySet<string> = new Set([
  "BadRequest",
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "MethodNotAllowed",
  "NotAcceptable",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Expired",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "Invalid",
  "TooManyRequests",
  "InternalError",
  "ServerTimeout",
  "StorageReadError",
  "ServiceUnavailable",
  "Timeout",
]);

export type Predicate = (error: unknown) => boolean;

/** Matches by reason, or by code if the reason is empty or unknown. */
function byReasonThenCode(reason: string, code: number): Predicate {
  return by((e) => e.reason === reason || (e.code === code && !KNOWN_REASONS.has(e.reason)));
}

function by(test: (error: StatusError) => boolean): Predicate {
  return (error) => {
    const found = statusErrorOf(error);
    return found !== undefined && test(found);
  };
}

/** The server cannot understand the request (400). */
export const isBadRequest: Predicate = byReasonThenCode("BadRequest", 400);
/** The server cannot authenticate the client (401). */
export const isUnauthorized: Predicate = byReasonThenCode("Unauthorized", 401);
/** The client is not authorised, or admission refused the request (403). */
export const isForbidden: Predicate = byReasonThenCode("Forbidden", 403);
/** There is no such object, or no such resource (404). */
export const isNotFound: Predicate = byReasonThenCode("NotFound", 404);
/** The resource does not support the verb (405). */
export const isMethodNotAllowed: Predicate = byReasonThenCode("MethodNotAllowed", 405);
/** The server cannot produce the content type (406). */
export const isNotAcceptable: Predicate = byReasonThenCode("NotAcceptable", 406);
/** By reason only: a bare 409 is a conflict. */
export const isAlreadyExists: Predicate = by((e) => e.reason === "AlreadyExists");
/** The object has changed since it was read (409). */
export const isConflict: Predicate = byReasonThenCode("Conflict", 409);
/** It existed but no longer does (410). */
export const isGone: Predicate = byReasonThenCode("Gone", 410);
/** By reason only. */
export const isExpired: Predicate = by((e) => e.reason === "Expired");
/** The body is too large (413). */
export const isRequestEntityTooLarge: Predicate = by((e) => e.reason === "RequestEntityTooLarge" || e.code === 413);
/** The server does not support this kind of body or patch (415). */
export const isUnsupportedMediaType: Predicate = byReasonThenCode("UnsupportedMediaType", 415);
/** The object breaks rules; the Status names the fields (422). */
export const isInvalid: Predicate = byReasonThenCode("Invalid", 422);
/** The server wants fewer requests (429). */
export const isTooManyRequests: Predicate = by((e) => e.reason === "TooManyRequests" || e.code === 429);
/** Something broke in the server (500). */
export const isInternalError: Predicate = byReasonThenCode("InternalError", 500);
/** By reason only: the server was too busy to try. */
export const isServerTimeout: Predicate = by((e) => e.reason === "ServerTimeout");
/** By reason only: an object in storage cannot be decoded. */
export const isStorageReadError: Predicate = by((e) => e.reason === "StorageReadError");
/** The server, or one behind it, is unavailable (503). */
export const isServiceUnavailable: Predicate = byReasonThenCode("ServiceUnavailable", 503);
/** The server gave up waiting; the change may still happen. */
export const isTimeout: Predicate = byReasonThenCode("Timeout", 504);

/** Whether the Status names `reason` among its causes. */
function hasStatusCause(error: unknown, reason: string): boolean {
  return statusErrorOf(error)?.details?.causes?.some((cause) => cause.reason === reason) ?? false;
}

/** A create was refused because the namespace is being deleted: not the caller's fault, and not worth an event. */
export const isNamespaceTerminating: Predicate = (error): boolean => hasStatusCause(error, "NamespaceTerminating");

const TOO_LARGE = "Too large resource version";

/** The requested resourceVersion is newer than the newest that the answering server has seen. */
export const isTooLargeResourceVersion: Predicate = (error): boolean =>
  hasStatusCause(error, "ResourceVersionTooLarge") ||
  (isTimeout(error) &&
    by((e) =>
      e.message.includes(TOO_LARGE) || (e.details?.causes?.some((cause) => cause.message === TOO_LARGE) ?? false)
    )(error));

/**
 * How many seconds the server asks to wait before a retry, or `undefined` if it does not. Always defined for
 * ServerTimeout.
 */
export function suggestedDelaySeconds(error: unknown): number | undefined {
  const found = statusErrorOf(error);
  const seconds = found?.retryAfterSeconds ?? 0;
  return seconds > 0 || isServerTimeout(error) ? seconds : undefined;
}
