import { StatusError } from "./status_error.ts";

/** Why there was no complete response. */
export type ConnectionFailure = "refused" | "reset" | "eof" | "timeout" | "tls" | "protocol" | "other";

/** The server could not be reached, or the connection failed before the response was complete. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly failure: ConnectionFailure;

  constructor(failure: ConnectionFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/**
 * What kind of connection failure `error` is, or `undefined` if it is not one. Knows the errors of {@link
 * httpTransport}, of Deno's sockets and of `fetch`. An error that the server reports does not count, even if it
 * describes the server's own connections.
 */
export function connectionFailureOf(error: unknown): ConnectionFailure | undefined {
  for (let e = error, depth = 0; e instanceof Error && depth < 8; e = e.cause, depth++) {
    if (e instanceof ConnectionError) return e.failure;
    if (e instanceof StatusError) return undefined;
    for (const [type, failure] of PLATFORM_ERRORS) if (e instanceof type) return failure;
    if (e.name === "AbortError") return undefined;
    for (const [pattern, failure] of MESSAGES) if (pattern.test(e.message)) return failure;
  }
  return undefined;
}

const PLATFORM_ERRORS: readonly (readonly [new (...args: never[]) => Error, ConnectionFailure])[] = [
  [Deno.errors.ConnectionRefused, "refused"],
  [Deno.errors.ConnectionReset, "reset"],
  [Deno.errors.ConnectionAborted, "reset"],
  [Deno.errors.BrokenPipe, "reset"],
  [Deno.errors.UnexpectedEof, "eof"],
  [Deno.errors.TimedOut, "timeout"],
];

/** `fetch` gives its reasons only as text. */
const MESSAGES: readonly (readonly [RegExp, ConnectionFailure])[] = [
  [/connection refused|ECONNREFUSED/i, "refused"],
  [/connection reset|ECONNRESET|broken pipe|EPIPE|connection aborted/i, "reset"],
  [/unexpected eof|connection closed before message completed|peer closed connection without/i, "eof"],
  [/timed out|ETIMEDOUT/i, "timeout"],
];

/** Whether nobody listens at the server's address. */
export function isConnectionRefused(error: unknown): boolean {
  return connectionFailureOf(error) === "refused";
}

/** Whether an open connection was cut before the response: reset, or ended early ("probable EOF" upstream). */
export function isConnectionLost(error: unknown): boolean {
  const failure = connectionFailureOf(error);
  return failure === "reset" || failure === "eof";
}

/** Whether no answer came in time. For a timeout that the server reports, see `isTimeout`. */
export function isConnectionTimeout(error: unknown): boolean {
  return connectionFailureOf(error) === "timeout";
}
