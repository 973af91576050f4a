/**
 * How long certificates live. Upstream: `pkg/controller/certificates/signer/signer.go`, `.../authority/policies.go`.
 */

const MINUTE_MS = 60_000;
/** Verifiers' clocks may be behind. */
const BACKDATE_MS = 5 * MINUTE_MS;
const SHORTEST_MS = 10 * MINUTE_MS;
/** Certificates with a shorter lifetime get all of it from now on. */
const SHORT_MS = 8 * 60 * MINUTE_MS;

/** By the wall clock, in milliseconds. */
export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** The lifetime of a certificate for a requested number of seconds. */
export function lifetimeMs(expirationSeconds: number | undefined, longestMs: number): number {
  if (expirationSeconds === undefined || expirationSeconds * 1000 > longestMs) return longestMs;
  return Math.max(expirationSeconds * 1000, SHORTEST_MS);
}

/**
 * The validity period of a certificate.
 *
 * @param authorityEndMs When its authority's certificate expires.
 * @throws {Error} If that has expired already.
 */
export function validityOf(
  { nowMs, livesMs, authorityEndMs }: {
    readonly nowMs: number;
    readonly livesMs: number;
    readonly authorityEndMs: number;
  },
): Validity {
  const notBeforeMs = nowMs - BACKDATE_MS;
  if (notBeforeMs >= authorityEndMs) throw new Error(`the signer has expired: NotAfter=${goTime(authorityEndMs)}`);
  if (nowMs >= authorityEndMs) {
    throw new Error(
      `refusing to sign a certificate that expired in the past: NotAfter=${goTime(authorityEndMs)}`,
    );
  }
  const endMs = nowMs + livesMs - (livesMs < SHORT_MS ? 0 : BACKDATE_MS);
  return { notBeforeMs, notAfterMs: Math.min(endMs, authorityEndMs) };
}

/** A time in whole seconds in Go's format. */
function goTime(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace(/\.\d+Z$/, " +0000 UTC");
}
