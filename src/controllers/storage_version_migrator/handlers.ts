import { objectKey, type StorageVersionMigration } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import type { MigratorContext } from "./context.ts";
import { resourceKeyOf } from "./migrated_resource.ts";

type Queues = Pick<MigratorContext, "resourceQueue" | "versionQueue" | "migrationQueue">;

/** A change of a migration queues its resource, and the migration itself unless it is gone. */
export function migrationHandler(
  { resourceQueue, versionQueue, migrationQueue }: Queues,
): EventHandler<StorageVersionMigration> {
  const onChange = (migration: StorageVersionMigration, what: Change) => {
    const why = cause("storageversionmigration", migration, what);
    resourceQueue.add(resourceKeyOf(migration), why);
    versionQueue.add(objectKey(migration), why);
    migrationQueue.add(objectKey(migration), why);
  };
  return {
    onAdd: (migration) => onChange(migration, "added"),
    onUpdate: (before, migration) => {
      const what = changeOf(before, migration);
      // A new one may have the same name by now.
      if (resourceKeyOf(before) !== resourceKeyOf(migration)) {
        resourceQueue.add(resourceKeyOf(before), cause("storageversionmigration", before, what));
      }
      onChange(migration, what);
    },
    onDelete: (deleted) => {
      const migration = finalStateOf(deleted);
      if (!migration) return;
      resourceQueue.add(resourceKeyOf(migration), cause("storageversionmigration", migration, "deleted"));
    },
  };
}
