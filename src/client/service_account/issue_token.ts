import { type AuthenticationV1TokenRequest, parseTime, SERVICEACCOUNTS } from "../../api/mod.ts";
import { type Clock, errorText, sleep } from "../../base/mod.ts";
import { ConnectionError } from "../connection_error.ts";
import { WriteRefusedError } from "../transport_of.ts";
import { ACCOUNT_NAMESPACE, type AccountRequest, ensureAccount } from "./ensure_account.ts";

/** A token, ready to be sent. */
export interface IssuedToken {
  /** The value of the Authorization header. */
  readonly authorization: string;
  /** How long to use it before requesting the next. */
  readonly usableMs: number;
}

/** The requested lifetime; the server may choose another. */
const EXPIRATION_SECONDS = 3600;
/** The server issues no token for less, so a shorter lifetime means that the clocks differ. */
const LEAST_LIFETIME_MS = 600_000;
/** The rest is leeway for a server whose clock is ahead, and for long requests. */
const USED_SHARE = 0.8;
/** Many times the usual length; it is sent with every request. */
const MAX_TOKEN_LENGTH = 64 * 1024;
/** The pauses between tries. */
const DELAYS_MS = [500, 1000, 2000];

/**
 * A new token for an account, which is created if it is missing.
 *
 * Contract:
 * 1. There are four tries, half a second, one second and two seconds apart, and each first makes sure that the account
 *    exists.
 * 2. Without the right to write nothing is tried again.
 *
 * Upstream: `k8s.io/controller-manager/pkg/clientbuilder` (tokenSourceImpl).
 *
 * @throws {ConnectionError} If all tries fail. Its causes include no StatusError: the server's answer about the token
 *   is not an answer to the request that needs it.
 * @throws {WriteRefusedError} If this process may no longer write.
 */
export async function issueToken(request: AccountRequest & { readonly clock: Clock }): Promise<IssuedToken> {
  const { name, log, clock, signal } = request;
  const account = `${ACCOUNT_NAMESPACE}/${name}`;
  for (let tries = 0;; tries++) {
    try {
      await ensureAccount(request);
      return await tryToIssue(request);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WriteRefusedError) throw error;
      log.warn("Cannot get a token for a service account", { account, tries: tries + 1, err: error });
      if (tries === DELAYS_MS.length) {
        const why = errorText(error);
        throw new ConnectionError("other", `failed to get token for ${account}: ${why}`);
      }
    }
    await sleep(clock, DELAYS_MS[tries], signal);
    signal.throwIfAborted();
  }
}

async function tryToIssue({ client, name, clock, signal }: Parameters<typeof issueToken>[0]): Promise<IssuedToken> {
  const body: AuthenticationV1TokenRequest = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: EXPIRATION_SECONDS },
  };
  const ref = { namespace: ACCOUNT_NAMESPACE, name };
  const { status } = await client.createSubresource(SERVICEACCOUNTS, ref, { subresource: "token", body, signal });
  if (!status?.expirationTimestamp || !isToken(status.token)) throw new Error("the answer holds no token that expires");
  const lifetimeMs = parseTime(status.expirationTimestamp) - clock.wallMs();
  const usableMs = Math.max(lifetimeMs, LEAST_LIFETIME_MS) * USED_SHARE;
  return { authorization: `Bearer ${status.token}`, usableMs };
}

/** Whether it can be sent in a header with every request. */
function isToken(token: unknown): boolean {
  return typeof token === "string" && token.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token);
}
