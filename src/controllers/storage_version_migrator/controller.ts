import { STORAGEVERSIONMIGRATIONS } from "../../api/mod.ts";
import { suggestedDelaySeconds } from "../../client/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController, together } from "../running/mod.ts";
import { syncCheckpoint } from "./checkpoint.ts";
import type { MigratorContext } from "./context.ts";
import { migrationHandler } from "./handlers.ts";
import { RESOURCE_INDEX, resourceKeyOf } from "./migrated_resource.ts";
import { syncMigration } from "./migration.ts";
import { syncResource } from "./runner.ts";

export const NAME = "storage-version-migrator-controller";
/** Upstream gives the queue of resources the same name as that of versions. */
export const QUEUES = { migrations: NAME, versions: "resource-version-controller" } as const;
const MIGRATIONS_AT_A_TIME = 5;

export function buildStorageVersionMigrator(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const migrations = informers.informer(STORAGEVERSIONMIGRATIONS);
  if (!migrations.hasIndexer(RESOURCE_INDEX)) {
    migrations.addIndexers({ [RESOURCE_INDEX]: (migration) => [resourceKeyOf(migration)] });
  }

  const queue = (name: string) => new WorkQueue({ world, name, metrics });
  const [resourceQueue, versionQueue] = [queue(QUEUES.versions), queue(QUEUES.versions)];
  const migrationQueue = queue(QUEUES.migrations);
  const working: MigratorContext = {
    world,
    client: context.clients.client(NAME),
    quick: context.clients.client(NAME, { qpsFactor: 20, burstFactor: 100 }),
    discovery: context.discovery,
    mapper: context.mapper,
    migrations: migrations.lister,
    indexer: migrations.indexer,
    resourceQueue,
    versionQueue,
    migrationQueue,
  };
  const caches = [migrations.addEventHandler(migrationHandler(working))];
  const common = { world, journal, caches, workers: 1 };
  const ofMigrations = { ...common, resource: STORAGEVERSIONMIGRATIONS };
  return together(
    queueController({
      ...common,
      name: `${NAME}/runner`,
      queue: resourceQueue,
      sync: (key) => syncResource(key, working),
    }),
    queueController({
      ...ofMigrations,
      name: `${NAME}/versions`,
      queue: versionQueue,
      sync: (key) => syncCheckpoint(key, working),
    }),
    queueController({
      ...ofMigrations,
      name: NAME,
      queue: migrationQueue,
      workers: MIGRATIONS_AT_A_TIME,
      sync: (key, { signal }) => syncMigration(key, working, signal),
      onError: (key, err) => {
        world.log.error("Migration interrupted, will go on", { err, migration: key });
        const seconds = suggestedDelaySeconds(err) ?? 0;
        if (seconds <= 0) return "retry";
        migrationQueue.addAfter(key, seconds * 1000, { due: "the API server asked to wait until now" });
        return "forget";
      },
    }),
  );
}
