import { type Secret, SECRETS } from "../../api/mod.ts";
import { isConflict, isNotFound } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { CleanerClient } from "./context.ts";

/**
 * Deletes a token, if it is still the same Secret.
 *
 * @throws {StatusError} If it may still be there.
 */
export async function deleteToken(client: CleanerClient, secret: Secret): Promise<void> {
  try {
    await client.delete(SECRETS, refOf(secret), { preconditions: { uid: secret.metadata?.uid } });
  } catch (error) {
    if (!serverSays(error, isConflict, isNotFound)) throw error;
  }
}
