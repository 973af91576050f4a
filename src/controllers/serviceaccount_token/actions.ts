import { type Secret, SECRETS, type ServiceAccount, SERVICEACCOUNTS } from "../../api/mod.ts";
import { type ConflictRetry, isConflict, isNotFound, retryOnConflict } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { AccountName } from "../token_secrets/mod.ts";
import type { TokenClient, TokenContext } from "./context.ts";
import { filled, needsOf } from "./filling.ts";
import type { TokenKey } from "./keys.ts";

/** Others change accounts too. */
const REFERENCE_RETRY: ConflictRetry = { tries: 10, initialMs: 100, factor: 1, jitter: 1 };

/**
 * Deletes a Secret if it is still the one with this UID.
 *
 * @throws {StatusError} If it may still be there.
 */
export async function deleteSecret(
  client: TokenClient,
  { namespace, name, uid }: Pick<TokenKey, "namespace" | "name" | "uid">,
): Promise<void> {
  try {
    await client.delete(SECRETS, { namespace, name }, uid === "" ? {} : { preconditions: { uid } });
  } catch (error) {
    if (!serverSays(error, isNotFound, isConflict)) throw error;
  }
}

/**
 * Completes a Secret if it still equals the cached one; otherwise an event will follow.
 *
 * @throws {StatusError | SigningError} If that fails.
 */
export async function fill(cached: Secret, account: ServiceAccount, context: TokenContext): Promise<void> {
  const { client, world: { log }, rootCa, signer } = context;
  const secret = await unlessGone(client.get(SECRETS, refOf(cached)));
  const isLate = secret?.metadata?.resourceVersion !== cached.metadata?.resourceVersion;
  if (!secret || isLate) {
    log.verbose(2, "Secret is not up to date, skipping token population", { secret: refOf(cached) });
    return;
  }
  const needs = needsOf(secret, rootCa);
  // The API server would always refuse it.
  if (!needs || secret.immutable) return;
  const token = needs.token ? await signer.tokenFor(account, secret) : undefined;
  try {
    await client.update(SECRETS, filled(secret, needs, { account, rootCa, token }));
  } catch (error) {
    if (!serverSays(error, isConflict, isNotFound)) throw error;
  }
}

/**
 * Removes a deleted Secret from its account's list.
 *
 * @throws {StatusError} If the account could not be read or written.
 */
export async function removeReference(
  { namespace, name }: Pick<TokenKey, "namespace" | "name">,
  { name: accountName, uid }: AccountName,
  { world, client, signal }: Pick<TokenContext, "world" | "client"> & { readonly signal: AbortSignal },
): Promise<void> {
  await retryOnConflict(world, async () => {
    const account = await unlessGone(client.get(SERVICEACCOUNTS, { namespace, name: accountName }));
    if (!account || (uid !== "" && account.metadata?.uid !== uid)) return;
    const secrets = (account.secrets ?? []).filter((each) => each.name !== name);
    if (secrets.length === (account.secrets ?? []).length) return;
    await unlessGone(client.update(SERVICEACCOUNTS, { ...account, secrets }));
  }, { retry: REFERENCE_RETRY, signal });
}

/** A request's result; `undefined` if the API server has no such object. */
export async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (serverSays(error, isNotFound)) return undefined;
    throw error;
  }
}
