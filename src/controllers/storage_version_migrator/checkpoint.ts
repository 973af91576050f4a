import { compareResourceVersions, type Resource, resourceText } from "../../api/mod.ts";
import { type DiscoveredResource, isNotFound } from "../../client/mod.ts";
import { byKey, serverSays } from "../running/mod.ts";
import { fail, writeStatus } from "./actions.ts";
import { is, isOver } from "./conditions.ts";
import type { MigratorContext } from "./context.ts";
import { migratedResource } from "./migrated_resource.ts";

/** The verbs that a migration needs on a resource, in the order in which they are reported. */
const VERBS = ["update", "patch", "list"];
/** No namespace can have this name, so listing it returns nothing. */
const NOWHERE = "@fake:svm_ns!";

/**
 * Records in a running migration the current resource version: objects written before it must be migrated.
 * Upstream: `pkg/controller/storageversionmigrator/resourceversion.go`.
 *
 * @throws {Error} If the version cannot be determined yet, or was not written.
 */
export async function syncCheckpoint(name: string, context: MigratorContext): Promise<void> {
  const migration = byKey(context.migrations, name);
  if (!migration || !is(migration, "Running") || isOver(migration)) return;
  if (migration.status?.resourceVersion) return;
  const resource = await migratedResource(migration, context);
  if (!resource) return await fail(migration, "resource does not exist in discovery", context);
  const described = resourceText(resource);
  const found = await discovered(resource, context);
  if (!found || !VERBS.every((verb) => found.verbs.includes(verb))) {
    const message = `resource "${described}" does not support discovery operations: [${VERBS.join(" ")}]`;
    return await fail(migration, message, context);
  }
  const resourceVersion = await latestVersion(found, context);
  if (compareResourceVersions(resourceVersion, resourceVersion) === undefined) {
    const message =
      `latest resourceVersion for ${described} is not valid: resource version is not well formed: ${resourceVersion}`;
    return await fail(migration, message, context);
  }
  await writeStatus({ ...migration, status: { ...migration.status, resourceVersion } }, context);
}

/** @returns Nothing if the version of the group is not served. */
async function discovered(
  { group, version, plural }: Resource,
  { discovery }: MigratorContext,
): Promise<DiscoveredResource | undefined> {
  let resources: readonly DiscoveredResource[];
  try {
    resources = await discovery.resourcesOf({ group, version });
  } catch (error) {
    if (serverSays(error, isNotFound)) return undefined;
    throw error;
  }
  const found = resources.find((resource) => resource.plural === plural);
  if (!found) {
    throw new Error(`resource "${resourceText({ group, version, plural })}" not found in discovery`);
  }
  return found;
}

async function latestVersion(resource: DiscoveredResource, { quick }: MigratorContext): Promise<string> {
  const namespace = resource.namespaced ? NOWHERE : undefined;
  const { metadata } = await quick.listMetadata(resource, { namespace, limit: 1 });
  return metadata.resourceVersion ?? "";
}
