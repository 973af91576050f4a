import { byKey } from "../running/mod.ts";
import { expiresInMs, isBootstrapToken } from "../token_secrets/mod.ts";
import { deleteToken } from "./actions.ts";
import type { CleanerContext } from "./context.ts";

/** A token valid for longer is checked again after this: the wall clock may have been set in the meantime. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Deletes a token that has expired, or schedules a check for when it does.
 *
 * @throws {StatusError} If it could not be deleted.
 */
export async function syncToken(key: string, { world, client, secrets, queue }: CleanerContext): Promise<void> {
  const secret = byKey(secrets, key);
  const leftMs = secret && expiresInMs(secret, world.clock.wallMs());
  if (!secret || !isBootstrapToken(secret) || leftMs === undefined) return;
  if (leftMs > 0) queue.addAfter(key, Math.min(leftMs, LONGEST_WAIT_MS), "its time may have come");
  else await deleteToken(client, secret);
}
