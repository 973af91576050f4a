import { type ServiceAccount, SERVICEACCOUNTS } from "../../api/mod.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../client/mod.ts";
import { aggregateErrors, serverSays } from "../running/mod.ts";
import type { AccountClient } from "./context.ts";

/**
 * Creates the accounts one after another with only their name, because admission of pods acts on other fields.
 *
 * @throws If some could not be created, after trying the others; several failures as an `AggregateError`.
 */
export async function createAccounts(
  client: AccountClient,
  namespace: string,
  names: readonly string[],
): Promise<void> {
  const errors: unknown[] = [];
  for (const name of names) {
    const account: ServiceAccount = { metadata: { name, namespace } };
    try {
      await client.create(SERVICEACCOUNTS, account);
    } catch (error) {
      // Both are fine: the account exists already, or the namespace is terminating.
      if (!serverSays(error, isAlreadyExists, isNamespaceTerminating)) errors.push(error);
    }
  }
  const error = aggregateErrors(errors);
  if (error) throw error;
}
