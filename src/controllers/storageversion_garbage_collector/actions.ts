import { type StorageVersion, STORAGEVERSIONS } from "../../api/mod.ts";
import { refOf } from "../running/mod.ts";
import type { CollectorContext } from "./context.ts";
import { type ServerEntry, statusWith } from "./status.ts";

/**
 * Leaves a StorageVersion with these entries only, or deletes it if none is left.
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
    // Which upstream leaves out: an API server may have come meanwhile that says something.
    await client.delete(STORAGEVERSIONS, refOf(version), { preconditions: { uid, resourceVersion } });
  } else {
    await client.updateStatus(STORAGEVERSIONS, { ...version, status: statusWith(version, entries, clock.wallMs()) });
  }
}
