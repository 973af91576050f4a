import { findCondition, formatTime, type StorageVersionMigration } from "../../api/mod.ts";

/** What a migration can be. */
export type MigrationState = "Running" | "Succeeded" | "Failed";

const REASONS: Readonly<Record<MigrationState, string>> = {
  Running: "MigrationRunning",
  Succeeded: "StorageVersionMigrationSucceeded",
  Failed: "StorageVersionMigrationFailed",
};

/** Whether it is that now. */
export function is({ status }: StorageVersionMigration, state: MigrationState): boolean {
  return findCondition(status?.conditions, state)?.status === "True";
}

/** Whether nothing is migrated any more. */
export function isOver(migration: StorageVersionMigration): boolean {
  return is(migration, "Succeeded") || is(migration, "Failed");
}

/**
 * The migration in this state; as it is if it ever was in it.
 * Upstream: `pkg/controller/storageversionmigrator/util.go` (setStatusConditions).
 *
 * @param nowMs The wall clock.
 */
export function inState(
  migration: StorageVersionMigration,
  state: MigrationState,
  { message, nowMs }: { readonly message: string; readonly nowMs: number },
): StorageVersionMigration {
  const { conditions = [] } = migration.status ?? {};
  const before = findCondition(conditions, state)?.status;
  if (before === "True" || before === "False") return migration;
  const condition = {
    type: state,
    status: "True",
    lastTransitionTime: formatTime(nowMs),
    reason: REASONS[state],
    message,
  };
  return { ...migration, status: { ...migration.status, conditions: [...conditions, condition] } };
}
