import { type StorageVersion, STORAGEVERSIONS } from "../../api/mod.ts";
import { refOf } from "../running/mod.ts";
import type { CollectorContext } from "./context.ts";
import { type ServerEntry, statusWith } from "./status.ts";

/**
 * Reduces a StorageVersion to these entries, or deletes it if none are left.
 *
 * @throws {StatusError} If it was not written; a conflict if it has changed since it was read.
 */
export async function keepEntries(
  version: StorageVersion,
  entries: readonly ServerEntry[],
  { client, world: { clock } }: Pick<CollectorContext, "client" | "world">,
): Promise<void> {
  if (entries.length === 0) {
    const { uid, resourceVersion } = version.metadata;
    // Upstream has no such precondition; an API server may have added its entry in the meantime.
    await client.delete(STORAGEVERSIONS, refOf(version), { preconditions: { uid, resourceVersion } });
  } else {
    await client.updateStatus(STORAGEVERSIONS, { ...version, status: statusWith(version, entries, clock.wallMs()) });
  }
}
