import { parseTime, type Secret, SECRETS } from "../../api/mod.ts";
import type { InformerNeed } from "../running/mod.ts";
import { textOf } from "./secret_data.ts";

const TYPE = "bootstrap.kubernetes.io/token";

/** Secrets with the tokens by which nodes join. */
export const BOOTSTRAP_TOKENS = {
  resource: SECRETS,
  namespace: "kube-system",
  fieldSelector: `type=${TYPE}`,
} as const satisfies InformerNeed;

/** Whether a Secret holds a bootstrap token: another one is nobody's to delete, whatever a server sends. */
export function isBootstrapToken({ type, metadata }: Secret): boolean {
  return type === TYPE && metadata?.namespace === BOOTSTRAP_TOKENS.namespace;
}

/**
 * How long a token is good yet.
 *
 * @param nowMs Milliseconds since 1970.
 * @returns Milliseconds; zero for one that has expired or says when in a form that nobody can read, `undefined` for one that
 * never expires.
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
    return 0; // the token is gone when somebody misspells its end, as upstream has it
  }
}
