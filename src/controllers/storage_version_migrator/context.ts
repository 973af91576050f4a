import type { World } from "../../base/mod.ts";
import type { StorageVersionMigration } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client, Discovery, RestMapper } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** The inputs and clients of the three loops. */
export interface MigratorContext {
  readonly world: World;
  /** Writes the status of migrations. */
  readonly client: Pick<Client, "updateStatus">;
  /** Does the bulk work, with a far higher rate limit. */
  readonly quick: Pick<Client, "get" | "apply" | "listMetadata" | "patchMetadata">;
  readonly discovery: Pick<Discovery, "resourcesOf">;
  readonly mapper: Pick<RestMapper, "resourceNamed">;
  readonly migrations: Pick<Lister<StorageVersionMigration>, "get">;
  /** By {@link RESOURCE_INDEX}. */
  readonly indexer: Pick<Indexer<StorageVersionMigration>, "byIndex">;
  /** Resources, by their names in {@link RESOURCE_INDEX}. */
  readonly resourceQueue: Pick<WorkQueue, "add">;
  /** Migrations that may need a checkpoint. */
  readonly versionQueue: Pick<WorkQueue, "add">;
  /** Migrations that may have something to migrate. */
  readonly migrationQueue: Pick<WorkQueue, "add" | "addAfter">;
}
