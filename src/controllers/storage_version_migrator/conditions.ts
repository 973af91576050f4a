import { findCondition, formatTime, type StorageVersionMigration } from "../../api/mod.ts";

/** The states of a migration. */
export type MigrationState = "Running" | "Succeeded" | "Failed";

const REASONS: Readonly<Record<MigrationState, string>> = {
  Running: "MigrationRunning",
  Succeeded: "StorageVersionMigrationSucceeded",
  Failed: "StorageVersionMigrationFailed",
};

/** Whether it is in that state now. */
export function is({ status }: StorageVersionMigration, state: MigrationState): boolean {
  return findCondition(status?.conditions, state)?.status === "True";
}

/** Whether the migration is finished, successfully or not. */
export function isOver(migration: StorageVersionMigration): boolean {
  return is(migration, "Succeeded") || is(migration, "Failed");
}

/**
 * The migration in this state; unchanged if it has ever been in it.
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
