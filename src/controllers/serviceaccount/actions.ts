import { type ServiceAccount, SERVICEACCOUNTS } from "../../api/mod.ts";
import { type Client, isAlreadyExists, isNamespaceTerminating } from "../../client/mod.ts";
import { aggregateErrors } from "../common/mod.ts";

/**
 * Creates the accounts one after another with nothing but their name: admission of pods acts on any further field.
 *
 * @throws If some could not be created, after the others were tried; several failures as an `AggregateError`.
 */
export async function createAccounts(
  client: Pick<Client, "create">,
  namespace: string,
  names: readonly string[],
): Promise<void> {
  const errors: unknown[] = [];
  for (const name of names) {
    const account: ServiceAccount = { metadata: { name, namespace } };
    try {
      await client.create(SERVICEACCOUNTS, account);
    } catch (error) {
      // Both are the end of the matter: somebody else was faster, or the namespace is going.
      if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) errors.push(error);
    }
  }
  const error = aggregateErrors(errors);
  if (error) throw error;
}
