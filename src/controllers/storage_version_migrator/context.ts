import type { World } from "../../base/mod.ts";
import type { StorageVersionMigration } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client, Discovery, RestMapper } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** What the three loops read, and what they act with. */
export interface MigratorContext {
  readonly world: World;
  /** Writes the status of migrations. */
  readonly client: Pick<Client, "updateStatus">;
  /** Does what there is much of: with a far higher rate. */
  readonly quick: Pick<Client, "get" | "apply" | "listMetadata" | "patchMetadata">;
  readonly discovery: Pick<Discovery, "resourcesOf">;
  readonly mapper: Pick<RestMapper, "resourceNamed">;
  readonly migrations: Pick<Lister<StorageVersionMigration>, "get">;
  /** By {@link RESOURCE_INDEX}. */
  readonly indexer: Pick<Indexer<StorageVersionMigration>, "byIndex">;
  /** Resources, as {@link RESOURCE_INDEX} names them. */
  readonly resourceQueue: Pick<WorkQueue, "add">;
  /** Migrations that may need a version to go by. */
  readonly versionQueue: Pick<WorkQueue, "add">;
  /** Migrations that may have something to migrate. */
  readonly migrationQueue: Pick<WorkQueue, "add" | "addAfter">;
}
