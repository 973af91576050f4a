import { pathSegmentErrors, type ServiceAccount, SERVICEACCOUNTS } from "../../api/mod.ts";
import { aggregateErrors, type SyncContext } from "../running/mod.ts";
import { type AccountName, isAccountToken, isTokenOf, LONGEST_NAME } from "../token_secrets/mod.ts";
import { deleteSecret, fill, removeReference, unlessGone } from "./actions.ts";
import type { TokenContext } from "./context.ts";
import { needsOf } from "./filling.ts";
import type { TokenKey } from "./keys.ts";

/**
 * Deletes a deleted account's tokens.
 *
 * @throws {Error} If some could not be deleted, after the others were tried.
 */
export async function syncAccount(
  key: TokenKey,
  context: TokenContext,
  { signal }: Pick<SyncContext, "signal">,
): Promise<void> {
  const { namespace, name, uid } = key;
  if (namespace === "" || name === "" || uid === "") return;
  const { accounts, secrets, client, world: { log } } = context;
  if (accounts.get(namespace, name)?.metadata?.uid === uid) return;
  const tokens = secrets.list({ namespace }).filter((secret) => isTokenOf(secret, key));
  if (tokens.length > 0) {
    log.verbose(4, "Service account deleted, removing tokens", { namespace, serviceaccount: name });
  }
  const errors: unknown[] = [];
  for (const { metadata } of tokens) {
    if (signal.aborted) return;
    const ref = { namespace, name: metadata?.name ?? "", uid: metadata?.uid ?? "" };
    await deleteSecret(client, ref).catch((error) => errors.push(error));
  }
  const error = aggregateErrors(errors);
  if (error) throw error;
}

/**
 * Adds the token of the account that a Secret names, or deletes the Secret if there is no such account. A deleted
 * Secret is removed from its account's list.
 *
 * @throws {Error} If that failed and may be tried again.
 */
export async function syncSecret(
  key: TokenKey,
  context: TokenContext,
  { signal }: Pick<SyncContext, "signal">,
): Promise<void> {
  const { namespace, name, uid, account: named } = key;
  if (namespace === "" || name === "" || uid === "" || !named?.name) return;
  const { secrets, client, rootCa, world: { log } } = context;
  const secret = secrets.get(namespace, name);
  if (secret?.metadata?.uid !== uid) {
    if (!cachedAccount(namespace, named, context)) return;
    // Upstream does not retry this either: a superfluous name on the list does no harm.
    return await removeReference(key, named, { ...context, signal }).catch((err) => {
      log.error("Removing secret reference", { err, namespace, serviceaccount: named.name, secret: name });
    });
  }
  if (!isAccountToken(secret)) return;
  const account = await findAccount(namespace, named, context);
  if (!account) {
    log.verbose(4, "Service account does not exist, deleting token", { secret: { namespace, name } });
    return await deleteSecret(client, key);
  }
  if (needsOf(secret, rootCa)) await fill(secret, account, context);
}

/** The cached account that a Secret names. */
function cachedAccount(
  namespace: string,
  { name, uid }: AccountName,
  { accounts }: Pick<TokenContext, "accounts">,
): ServiceAccount | undefined {
  const account = accounts.get(namespace, name);
  return uid === "" || account?.metadata?.uid === uid ? account : undefined;
}

/**
 * The account that a Secret names, which may be too new for the cache.
 *
 * @throws {Error} If that cannot be determined.
 */
async function findAccount(
  namespace: string,
  named: AccountName,
  context: Pick<TokenContext, "accounts" | "client">,
): Promise<ServiceAccount | undefined> {
  const cached = cachedAccount(namespace, named, context);
  const { name, uid } = named;
  if (cached || name.length > LONGEST_NAME) return cached;
  const [problem] = pathSegmentErrors(name);
  if (problem) throw new Error(`Cannot look for service account ${JSON.stringify(name)}: its name ${problem}`);
  const live = await unlessGone(context.client.get(SERVICEACCOUNTS, { namespace, name }));
  return uid === "" || live?.metadata?.uid === uid ? live : undefined;
}
