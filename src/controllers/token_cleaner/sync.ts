import { byKey } from "../running/mod.ts";
import { expiresInMs, isBootstrapToken } from "../token_secrets/mod.ts";
import { deleteToken } from "./actions.ts";
import type { CleanerContext } from "./context.ts";

/** A token that is good for longer is looked at again after this: the wall clock may have been set meanwhile. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Deletes a token that has expired, or sees to it that it is looked at when it does.
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
