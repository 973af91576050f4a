import { parseTime, type StorageVersionMigration } from "../../api/mod.ts";
import { type DiscoveredResource, NoMatchError } from "../../client/mod.ts";
import type { MigratorContext } from "./context.ts";

/** Migrations by what they migrate. */
export const RESOURCE_INDEX = "migrated-resource";

/** How long a new kind may take to be discovered. */
const GRACE_MS = 60_000;

/** Names the resource that a migration migrates, regardless of its version. */
export function resourceKeyOf({ spec }: StorageVersionMigration): string {
  const { group = "", resource = "" } = spec?.resource ?? {};
  return `${resource}.${group}`;
}

/**
 * The resource that a migration migrates, in its group's preferred version.
 *
 * @returns Nothing if the server does not serve it, and is not about to.
 * @throws {Error} If that cannot be determined, or the migration is less than a minute old.
 */
export async function migratedResource(
  { metadata, spec }: StorageVersionMigration,
  { mapper, world: { clock } }: Pick<MigratorContext, "mapper" | "world">,
): Promise<DiscoveredResource | undefined> {
  const { group = "", resource = "" } = spec?.resource ?? {};
  try {
    return await mapper.resourceNamed({ group, plural: resource });
  } catch (error) {
    if (!(error instanceof NoMatchError)) throw error;
    const createdMs = metadata?.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
    if (createdMs + GRACE_MS <= clock.wallMs()) return undefined;
    throw new Error(`Cannot migrate ${JSON.stringify(resource)} yet: it is not served, and may come`, { cause: error });
  }
}
