import type { StorageVersionMigration } from "../../api/mod.ts";
import { byCreation, withCondition } from "../running/mod.ts";
import { writeStatus } from "./actions.ts";
import { inState, is, isOver } from "./conditions.ts";
import type { MigratorContext } from "./context.ts";
import { RESOURCE_INDEX } from "./migrated_resource.ts";
import { announceMigration, concludeMigration } from "./stored_versions.ts";

/** What to do about the migrations of one resource. */
export interface Turn {
  /** They are marked as running but have finished. */
  readonly ended: readonly StorageVersionMigration[];
  /** The one to run next: the oldest, if no other is running. */
  readonly next?: StorageVersionMigration;
}

/** @param migrations Of one resource. */
export function turnOf(migrations: readonly StorageVersionMigration[]): Turn {
  const running = migrations.filter((migration) => is(migration, "Running"));
  const ended = running.filter(isOver);
  if (ended.length < running.length) return { ended };
  const waiting = migrations.filter((migration) => !is(migration, "Running") && !isOver(migration));
  return { ended, next: waiting.sort(byCreation)[0] };
}

/**
 * Sees to it that one migration of a resource runs at a time.
 * Upstream: `pkg/controller/storageversionmigrator/migrationrunner.go`.
 *
 * @param key As {@link RESOURCE_INDEX} has it.
 * @throws {Error} If the definition of the custom resource, or a migration, was not written.
 */
export async function syncResource(key: string, context: MigratorContext): Promise<void> {
  const { indexer, world: { clock } } = context;
  const { ended, next } = turnOf(indexer.byIndex(RESOURCE_INDEX, key));
  for (const migration of ended) {
    await concludeMigration(migration, context);
    const statement = {
      type: "Running",
      status: "False",
      reason: "MigrationCompleted",
      message: "Migration completed",
      observedGeneration: migration.metadata?.generation,
    };
    const conditions = withCondition(migration.status?.conditions, statement, clock.wallMs());
    await writeStatus({ ...migration, status: { ...migration.status, conditions } }, context);
  }
  if (!next) return;
  await announceMigration(next, context);
  const message = "The migration is running";
  await writeStatus(inState(next, "Running", { message, nowMs: clock.wallMs() }), context);
}
