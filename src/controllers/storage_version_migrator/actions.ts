import { type StorageVersionMigration, STORAGEVERSIONMIGRATIONS } from "../../api/mod.ts";
import { inState } from "./conditions.ts";
import type { MigratorContext } from "./context.ts";

/** With the resource version that was read: a write by another loop in the meantime makes it a conflict. */
export async function writeStatus(
  migration: StorageVersionMigration,
  { client }: Pick<MigratorContext, "client">,
): Promise<void> {
  await client.updateStatus(STORAGEVERSIONMIGRATIONS, migration);
}

/** Ends a migration for good. */
export async function fail(
  migration: StorageVersionMigration,
  message: string,
  context: Pick<MigratorContext, "client" | "world">,
): Promise<void> {
  const { clock, log } = context.world;
  log.error("Migration failed", { migration: migration.metadata?.name, reason: message });
  await writeStatus(inState(migration, "Failed", { message, nowMs: clock.wallMs() }), context);
}
