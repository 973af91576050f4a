import type { Secret } from "../../api/mod.ts";
import { bytesOf, expiresInMs, isBootstrapToken, textOf } from "../token_secrets/mod.ts";

const NAME = /^bootstrap-token-([a-z0-9]{6})$/;

/** A token that signs. */
export interface SigningToken {
  readonly id: string;
  readonly secret: Uint8Array<ArrayBuffer>;
}

/**
 * The token in a Secret, if it may sign at `nowMs`.
 *
 * Upstream: `pkg/controller/bootstrap/util.go`, `k8s.io/cluster-bootstrap/util/tokens`.
 */
export function signingToken(secret: Secret, nowMs: number): SigningToken | undefined {
  const id = NAME.exec(secret.metadata?.name ?? "")?.[1];
  if (id === undefined || !isBootstrapToken(secret) || textOf(secret, "token-id") !== id) return undefined;
  const key = bytesOf(secret, "token-secret");
  if (key.length === 0 || expiresInMs(secret, nowMs) === 0) return undefined;
  return textOf(secret, "usage-bootstrap-signing") === "true" ? { id, secret: key } : undefined;
}
