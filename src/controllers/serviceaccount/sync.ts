import type { KubeObject, Namespace } from "../../api/mod.ts";
import { createAccounts } from "./actions.ts";
import type { AccountContext } from "./context.ts";

/**
 * Creates the accounts that a namespace lacks.
 *
 * @param name The namespace's.
 * @throws {Error} If some could not be created; the others were.
 */
export async function syncAccounts(
  name: string,
  { client, namespaces, accounts, ensured }: AccountContext,
): Promise<void> {
  const find = (account: string) => accounts.get(name, account);
  await createAccounts(client, name, accountsToCreate(namespaces.get(undefined, name), ensured, find));
}

/**
 * Which ServiceAccounts to create in a namespace, in this order.
 *
 * @param namespace The cached namespace; absent if it does not exist.
 * @param ensured Names of the accounts that must exist.
 * @param find Looks an account of the namespace up in the cache.
 */
function accountsToCreate(
  namespace: Namespace | undefined,
  ensured: readonly string[],
  find: (name: string) => KubeObject | undefined,
): readonly string[] {
  if (namespace?.status?.phase !== "Active") return []; // also an empty phase: the namespace is not ready yet
  return ensured.filter((name) => find(name) === undefined);
}
