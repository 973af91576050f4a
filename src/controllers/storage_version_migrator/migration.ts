import { compareResourceVersions, type Resource, type StorageVersionMigration } from "../../api/mod.ts";
import { byKey } from "../running/mod.ts";
import { fail, MigrationError, storeAnew, writeStatus } from "./actions.ts";
import { inState, isOver } from "./conditions.ts";
import type { MigratorContext } from "./context.ts";
import { migratedResource } from "./migrated_resource.ts";

/** How many objects' metadata a migration holds in memory at a time. */
const PAGE = 500;

/**
 * Has the server rewrite whatever was stored before a migration's checkpoint. Upstream reads the objects from the
 * garbage collector's monitors; here they are listed from the server, page by page.
 * Upstream: `pkg/controller/storageversionmigrator/storageversionmigrator.go`.
 *
 * @throws {Error} If the rest must be retried.
 */
export async function syncMigration(name: string, context: MigratorContext, signal: AbortSignal): Promise<void> {
  const { world: { clock } } = context;
  const migration = byKey(context.migrations, name);
  if (!migration || isOver(migration) || !migration.status?.resourceVersion) return;
  try {
    const resource = await migratedResource(migration, context);
    if (!resource) throw new MigrationError("unable to obtain GVR from discovery");
    await migrateAll(migration, resource, { context, signal });
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return await fail(migration, `migration encountered unhandled error: ${error.message}`, context);
  }
  if (signal.aborted) return;
  await writeStatus(inState(migration, "Succeeded", { message: "", nowMs: clock.wallMs() }), context);
}

interface Work {
  readonly context: MigratorContext;
  readonly signal: AbortSignal;
}

async function migrateAll(
  { status }: StorageVersionMigration,
  resource: Resource,
  { context: { quick }, signal }: Work,
): Promise<void> {
  const checkpoint = status!.resourceVersion!;
  let token: string | undefined;
  do {
    const { metadata, items } = await quick.listMetadata(resource, { limit: PAGE, continue: token, signal });
    const age = ageOf(metadata.resourceVersion, checkpoint);
    if (age < 0) {
      throw new Error(
        `Cannot migrate ${resource.plural} yet: the list at ${metadata.resourceVersion} is older than ${checkpoint}`,
      );
    }
    for (const object of items) {
      if (signal.aborted) return;
      if (ageOf(object.metadata?.resourceVersion, checkpoint) <= 0) await storeAnew(resource, object, quick);
    }
    if (token !== undefined && metadata.continue === token) {
      throw new Error(`Cannot list ${resource.plural}: the server answered a continue token without making progress`);
    }
    token = metadata.continue || undefined;
  } while (token);
}

/**
 * Negative if it is older than the checkpoint, 0 if it is the same. @throws {MigrationError} If that cannot be told.
 */
function ageOf(resourceVersion = "", checkpoint: string): number {
  const age = compareResourceVersions(resourceVersion, checkpoint);
  if (age !== undefined) return age;
  throw new MigrationError(
    `resource version is not well formed: ${JSON.stringify(resourceVersion)} beside ${checkpoint}`,
  );
}
