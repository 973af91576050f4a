import type { KubeObject, Namespace } from "../../api/mod.ts";

/** Names of the ServiceAccounts that every Active namespace has. */
export const ENSURED_ACCOUNTS: readonly string[] = ["default"];

/**
 * Which ServiceAccounts are to be created in a namespace, in this order.
 *
 * @param namespace What the cache has; absent when it does not exist.
 * @param ensured Names of the accounts that must exist.
 * @param find Looks an account of the namespace up in the cache.
 */
export function accountsToCreate(
  namespace: Namespace | undefined,
  ensured: readonly string[],
  find: (name: string) => KubeObject | undefined,
): readonly string[] {
  if (namespace?.status?.phase !== "Active") return []; // also an empty phase: the namespace is not ready yet
  return ensured.filter((name) => find(name) === undefined);
}
