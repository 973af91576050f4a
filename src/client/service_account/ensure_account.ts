import { NAMESPACES, SERVICEACCOUNTS } from "../../api/mod.ts";
import type { Logger } from "../../base/mod.ts";
import type { Client } from "../client.ts";
import { isAlreadyExists, isNotFound } from "../status_predicates.ts";

/** The namespace of controllers' accounts. */
export const ACCOUNT_NAMESPACE = "kube-system";

/** An account, and the client that manages it. */
export interface AccountRequest {
  /** Must have the right to create accounts and their tokens. */
  readonly client: Client;
  readonly name: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Creates the ServiceAccount `name`, and its namespace, if missing.
 *
 * Upstream: `k8s.io/controller-manager/pkg/clientbuilder` (getOrCreateServiceAccount).
 *
 * @throws {StatusError} If it is missing and cannot be created.
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

/**
 * Failures do not matter: we may not have the right to create namespaces, and without the namespace creating the
 * account fails.
 */
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
