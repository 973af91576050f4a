import { parseTime, type Secret, SECRETS } from "../../api/mod.ts";
import type { InformerNeed } from "../running/mod.ts";
import { textOf } from "./secret_data.ts";

const TYPE = "bootstrap.kubernetes.io/token";

/** Secrets with the tokens that nodes join with. */
export const BOOTSTRAP_TOKENS = {
  resource: SECRETS,
  namespace: "kube-system",
  fieldSelector: `type=${TYPE}`,
} as const satisfies InformerNeed;

/** Whether a Secret holds a bootstrap token: any other must never be deleted, whatever a server sends. */
export function isBootstrapToken({ type, metadata }: Secret): boolean {
  return type === TYPE && metadata?.namespace === BOOTSTRAP_TOKENS.namespace;
}

/**
 * How much longer a token is valid.
 *
 * @param nowMs Milliseconds since 1970.
 * @returns Milliseconds; zero if it has expired or its expiry is unreadable, `undefined` if it never expires.
 *
 * Upstream: `k8s.io/cluster-bootstrap/util/secrets` (GetExpiration).
 *
 * @example
 * ```ts
 * import { expiresInMs } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const expiration = btoa("2026-01-01T00:00:02Z");
 * assertEquals(expiresInMs({ data: { expiration } }, Date.UTC(2026, 0, 1)), 2000);
 * assertEquals(expiresInMs({ data: { expiration: btoa("2026-01-02") } }, Date.UTC(2026, 0, 1)), 0);
 * assertEquals(expiresInMs({}, Date.UTC(2026, 0, 1)), undefined);
 * ```
 */
export function expiresInMs(secret: Secret, nowMs: number): number | undefined {
  const text = textOf(secret, "expiration");
  if (text === "") return undefined;
  try {
    return Math.max(0, parseTime(text) - nowMs);
  } catch {
    return 0; // as upstream, a misspelt expiry means that the token gets deleted
  }
}
