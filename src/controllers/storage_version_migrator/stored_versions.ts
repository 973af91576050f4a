import {
  type CustomResourceDefinition,
  CUSTOMRESOURCEDEFINITIONS,
  findCondition,
  formatTime,
  type StorageVersionMigration,
} from "../../api/mod.ts";
import { isNotFound, retryOnConflict } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import { is } from "./conditions.ts";
import type { MigratorContext } from "./context.ts";
import { resourceKeyOf } from "./migrated_resource.ts";

const STORAGE_MIGRATING = "StorageMigrating";
const FIELD_MANAGER = "migration-runner-controller";

type DefinitionStatus = NonNullable<CustomResourceDefinition["status"]>;
type DefinitionContext = Pick<MigratorContext, "quick" | "world">;

/**
 * Marks the definition of a custom resource as being migrated. Does nothing for other resources.
 * Upstream: `pkg/controller/storageversionmigrator/migrationrunner.go` (markAsActive).
 */
export async function announceMigration(migration: StorageVersionMigration, context: DefinitionContext): Promise<void> {
  const message = `Migration ${migration.metadata?.name} is running`;
  await applyStatus(migration, context, () => ({ status: "True", reason: "MigrationRunning", message }));
}

/**
 * Marks the migration of a custom resource as finished in its definition. After a success, only the storage version
 * stays listed there, unless the definition has changed since the migration began; upstream does that after a failure
 * too, although objects may then be stored in other versions.
 * Upstream: `pkg/controller/storageversionmigrator/migrationrunner.go` (finishCRDMigration).
 */
export async function concludeMigration(migration: StorageVersionMigration, context: DefinitionContext): Promise<void> {
  await applyStatus(migration, context, ({ metadata, spec, status }) => {
    if (!is(migration, "Succeeded")) {
      return { status: "False", reason: "MigrationFailed", message: "The migration has failed" };
    }
    const begun = findCondition(status?.conditions, STORAGE_MIGRATING);
    const isUnchanged = begun !== undefined && begun.observedGeneration === metadata?.generation;
    const stored = spec.versions.find(({ storage }) => storage)?.name;
    return {
      status: "False",
      reason: "MigrationSucceeded",
      message: `The migration has succeeded ${
        isUnchanged
          ? "and the stored versions have been updated"
          : "but the stored versions have not been updated due to a generation mismatch"
      }`,
      ...isUnchanged && stored !== undefined && { storedVersions: [stored] },
    };
  });
}

interface Statement {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly storedVersions?: string[];
}

/** @throws {StatusError} If the definition cannot be read or written, after five tries if it keeps changing. */
async function applyStatus(
  migration: StorageVersionMigration,
  { quick, world }: DefinitionContext,
  statementAbout: (definition: CustomResourceDefinition) => Statement,
): Promise<void> {
  const name = resourceKeyOf(migration);
  await retryOnConflict(world, async () => {
    const definition = await find(name, quick);
    if (!definition) return;
    const { resourceVersion, generation } = definition.metadata ?? {};
    const { storedVersions, ...statement } = statementAbout(definition);
    const condition = {
      type: STORAGE_MIGRATING,
      ...statement,
      lastTransitionTime: formatTime(world.clock.wallMs()),
      observedGeneration: generation,
    };
    const status: DefinitionStatus = { conditions: [condition], ...storedVersions && { storedVersions } };
    // The type requires a spec, but it is not this field manager's to set.
    const applied = { metadata: { name, resourceVersion }, status } as CustomResourceDefinition;
    await quick.apply(CUSTOMRESOURCEDEFINITIONS, applied, {
      fieldManager: FIELD_MANAGER,
      force: true,
      subresource: "status",
    });
  });
}

async function find(name: string, quick: MigratorContext["quick"]): Promise<CustomResourceDefinition | undefined> {
  try {
    return await quick.get(CUSTOMRESOURCEDEFINITIONS, { name });
  } catch (error) {
    if (serverSays(error, isNotFound)) return undefined;
    throw error;
  }
}
