import type { Clock } from "../../base/mod.ts";
import { ConnectionError } from "../connection_error.ts";

export const CONNECT_TIMEOUT_MS = 30_000;
export const HANDSHAKE_TIMEOUT_MS = 10_000;

/** One attempt to open a connection. */
export interface DialAttempt {
  readonly clock: Clock;
  readonly hostname: string;
  readonly port: number;
  readonly signal?: AbortSignal;
}

/** A time limit, and what it is for. */
export interface Limits {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  readonly what: string;
}

/** Waits for something that is being opened; closes it if it comes too late. */
export async function within<T extends { close(): void }>(
  opening: Promise<T>,
  { clock, signal, timeoutMs, what }: Limits,
): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  let isGivenUp = false;
  const giveUp = (reason: unknown) => {
    isGivenUp = true;
    reject(reason);
  };
  const onAbort = () => giveUp(signal?.reason);
  const timer = clock.setTimer(timeoutMs, () => giveUp(new ConnectionError("timeout", `${what} timeout`)));
  signal?.addEventListener("abort", onAbort);
  opening.then((late) => isGivenUp && closeQuietly(late), () => {});
  try {
    return await Promise.race([opening, givenUp]);
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Closes something that may be closed already. */
export function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // closed already, by the failure that led here
  }
}
