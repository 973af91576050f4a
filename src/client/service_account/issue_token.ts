import { type AuthenticationV1TokenRequest, parseTime, SERVICEACCOUNTS } from "../../api/mod.ts";
import { type Clock, errorText, sleep } from "../../base/mod.ts";
import { ConnectionError } from "../connection_error.ts";
import { WriteRefusedError } from "../transport_of.ts";
import { ACCOUNT_NAMESPACE, type AccountRequest, ensureAccount } from "./ensure_account.ts";

/** A token, ready to be sent. */
export interface IssuedToken {
  /** The value of the Authorization header. */
  readonly authorization: string;
  /** For how long from now on it is used before the next is asked for. */
  readonly usableMs: number;
}

/** How long a token is asked for; the server may give another time. */
const EXPIRATION_SECONDS = 3600;
/** A shorter one comes from clocks that differ: the server gives no token for less. */
const LEAST_LIFETIME_MS = 600_000;
/** The rest is leeway, for a server whose clock is ahead and for requests that last. */
const USED_SHARE = 0.8;
/** Many times what one has; it goes out with every request. */
const MAX_TOKEN_LENGTH = 64 * 1024;
/** Between the first try and the second, and so on. */
const DELAYS_MS = [500, 1000, 2000];

/**
 * A new token for an account, which is created if it is missing.
 *
 * Contract:
 * 1. There are four tries, half a second, one second and two seconds apart, and before each the account is looked after anew.
 * 2. Without the right to write nothing is tried again.
 *
 * Upstream: `k8s.io/controller-manager/pkg/clientbuilder` (tokenSourceImpl).
 *
 * @throws {ConnectionError} If all tries fail. It holds no StatusError: what the server says of the token is no answer to the
 * request that the token is for.
 * @throws {WriteRefusedError} If this process may not write any more.
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

/** Whether it can be sent in a header, again and again. */
function isToken(token: unknown): boolean {
  return typeof token === "string" && token.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token);
}
