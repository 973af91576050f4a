import { NAMESPACES, SERVICEACCOUNTS } from "../../api/mod.ts";
import type { Logger } from "../../base/mod.ts";
import type { Client } from "../client.ts";
import { isAlreadyExists, isNotFound } from "../status_predicates.ts";

/** Where the accounts of controllers are. */
export const ACCOUNT_NAMESPACE = "kube-system";

/** Whose account, and by whom it is looked after. */
export interface AccountRequest {
  /** Has the right to create accounts, and tokens for them. */
  readonly client: Client;
  readonly name: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Creates the ServiceAccount `name` unless it is there, and its namespace with it.
 *
 * Upstream: `k8s.io/controller-manager/pkg/clientbuilder` (getOrCreateServiceAccount).
 *
 * @throws {StatusError} If it is not there and cannot be created.
 */
export async function ensureAccount(request: AccountRequest): Promise<void> {
  const { client, name, signal } = request;
  const ref = { namespace: ACCOUNT_NAMESPACE, name };
  const isMissing = await client.get(SERVICEACCOUNTS, ref, { signal }).then(() => false, unlessNotFound);
  if (!isMissing) return;
  await ensureNamespace(request);
  try {
    await client.create(SERVICEACCOUNTS, { metadata: ref }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await client.get(SERVICEACCOUNTS, ref, { signal }); // somebody else was faster
  }
}

/** Failures do not matter: nobody says that we may create namespaces, and without one the account's creation fails. */
async function ensureNamespace({ client, log, signal }: AccountRequest): Promise<void> {
  const metadata = { name: ACCOUNT_NAMESPACE };
  const isMissing = await client.get(NAMESPACES, metadata, { signal }).then(() => false, isNotFound);
  if (!isMissing) return;
  try {
    await client.create(NAMESPACES, { metadata }, { signal });
  } catch (err) {
    if (!isAlreadyExists(err)) log.warn("Cannot create missing namespace", { namespace: ACCOUNT_NAMESPACE, err });
  }
}

function unlessNotFound(error: unknown): true {
  if (isNotFound(error)) return true;
  throw error;
}
