import { apiVersionOf, type Resource, type StorageVersionMigration, STORAGEVERSIONMIGRATIONS } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import {
  isConflict,
  isInternalError,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  type PartialObjectMetadata,
  StatusError,
} from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import { inState } from "./conditions.ts";
import type { MigratorContext } from "./context.ts";

const FIELD_MANAGER = "storage-version-migrator-controller";

/** A migration cannot succeed. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

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

/**
 * Changes nothing in an object, but makes the server write it. Objects that changed since are already rewritten.
 *
 * @throws {MigrationError} If the server will not write it however often it is asked.
 */
export async function storeAnew(
  resource: Resource,
  object: PartialObjectMetadata,
  quick: MigratorContext["quick"],
): Promise<void> {
  // The uid prevents recreating a deleted object; the version makes a recreated one a conflict, too.
  const { uid, resourceVersion } = object.metadata ?? {};
  const body = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata: { uid, resourceVersion } };
  try {
    await quick.patchMetadata(resource, refOf(object), { type: "apply", fieldManager: FIELD_MANAGER, body });
  } catch (error) {
    if (serverSays(error, isConflict)) return;
    if (!(error instanceof StatusError) || isPassing(error)) throw error;
    throw new MigrationError(errorText(error), { cause: error });
  }
}

function isPassing(error: StatusError): boolean {
  return [isServerTimeout, isTooManyRequests, isServiceUnavailable, isInternalError, isTimeout].some((is) => is(error));
}
