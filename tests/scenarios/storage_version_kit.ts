/** What scenarios of storage versions begin with, and what they write down of objects that belong to no namespace. */
import {
  CONFIGMAPS,
  type CustomResourceDefinition,
  CUSTOMRESOURCEDEFINITIONS,
  findCondition,
  formatMicroTime,
  type KubeObject,
  LEASES,
  type Resource,
  type StorageVersion,
  type StorageVersionMigration,
  STORAGEVERSIONMIGRATIONS,
  STORAGEVERSIONS,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";

const IDENTITY = "apiserver.kubernetes.io/identity";

/** The lease of an API server of this scenario alone, which no API server takes for one that has ended. */
export async function createLease(kit: Kit, server: string, label = "kube-apiserver"): Promise<void> {
  await kit.client.create(LEASES, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: idOf(kit, server), namespace: "kube-system", labels: { [IDENTITY]: label } },
    spec: { holderIdentity: server, leaseDurationSeconds: 3600, renewTime: formatMicroTime(Date.now()) },
  });
}

export async function deleteLease(kit: Kit, server: string): Promise<void> {
  await kit.client.delete(LEASES, { name: idOf(kit, server), namespace: "kube-system" });
}

function idOf(kit: Kit, server: string): string {
  return `${kit.namespace}-${server}`;
}

/** The name of the scenario's StorageVersion: a group and a resource. */
export function versionName(kit: Kit): string {
  return `${kit.namespace}.things`;
}

/** Has API servers say in which version they encode things. */
export async function sayVersions(kit: Kit, encodings: Readonly<Record<string, string>>): Promise<void> {
  const storageVersions = Object.entries(encodings).map(([server, encodingVersion]) => ({
    apiServerID: idOf(kit, server),
    encodingVersion,
    decodableVersions: ["v1", "v2", "v3"],
    servedVersions: ["v1", "v2", "v3"],
  }));
  const made = await kit.client.create(STORAGEVERSIONS, { metadata: { name: versionName(kit) }, spec: {} });
  const [common, ...others] = new Set(Object.values(encodings));
  const status = { storageVersions, ...others.length === 0 && { commonEncodingVersion: common } };
  await kit.client.updateStatus(STORAGEVERSIONS, { ...made, status });
}

/** Waits until just these API servers say something. */
export async function untilSaid(kit: Kit, ...servers: string[]): Promise<StorageVersion> {
  const ids = servers.map((server) => idOf(kit, server));
  return await kit.until(
    STORAGEVERSIONS,
    versionName(kit),
    `names ${servers}`,
    ({ status }) => String((status?.storageVersions ?? []).map(({ apiServerID }) => apiServerID)) === String(ids),
  );
}

/** Writes down what has come of things that are in no namespace, in this scenario's. */
export async function note(kit: Kit, seen: Readonly<Record<string, unknown>>): Promise<void> {
  const data = Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, JSON.stringify(value)]));
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" }, data });
}

/** What the API server stores of things, their definition, and the resource. */
export interface Things {
  readonly resource: Resource;
  readonly definition: string;
}

/** Defines a kind of which versions v1 and v2 are served and v1 is stored, and makes some. */
export async function defineThings(kit: Kit, count = 3): Promise<Things> {
  const group = `${kit.namespace}.example.com`;
  const definition = `things.${group}`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const versions = ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema }));
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  await kit.client.create(CUSTOMRESOURCEDEFINITIONS, {
    metadata: { name: definition },
    spec: { group, scope: "Namespaced", names, versions },
  });
  await kit.until(
    CUSTOMRESOURCEDEFINITIONS,
    definition,
    "is established",
    ({ status }) => findCondition(status?.conditions, "Established")?.status === "True",
  );
  const resource: Resource = { group, version: "v1", plural: "things", kind: "Thing", namespaced: true };
  for (let i = 0; i < count; i++) {
    const thing: KubeObject = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "t" + i } };
    // A definition is established before every part of the server has heard of it.
    await kit.until(
      CUSTOMRESOURCEDEFINITIONS,
      definition,
      `has thing ${i}`,
      () => kit.create(resource, thing).catch(() => undefined),
    );
  }
  return { resource, definition };
}

/** Has the API server store things in another version. */
export async function storeIn(kit: Kit, { definition }: Things, version: string): Promise<void> {
  const { spec } = await kit.get(CUSTOMRESOURCEDEFINITIONS, definition);
  const versions = spec.versions.map((each) => ({ ...each, storage: each.name === version }));
  await kit.client.patch(CUSTOMRESOURCEDEFINITIONS, { name: definition }, {
    type: "merge",
    body: { spec: { versions } },
  });
  await kit.until(
    CUSTOMRESOURCEDEFINITIONS,
    definition,
    `may have stored ${version}`,
    ({ status }) => status?.storedVersions?.includes(version),
  );
}

/** The name of a migration of this scenario alone. */
export function migrationName(kit: Kit, name: string): string {
  return `${kit.namespace}-${name}`;
}

/** Asks for a migration. */
export async function migrate(kit: Kit, name: string, group: string, resource: string): Promise<void> {
  await kit.client.create(STORAGEVERSIONMIGRATIONS, {
    metadata: { name: migrationName(kit, name) },
    spec: { resource: { group, resource } },
  });
}

/** How many looks at a migration there are between two times that upstream's manager is reminded of it. */
const LOOKS = 20;

/**
 * Waits until a migration is over and runs no more. One of a new custom kind is remembered at times, and something happens to the
 * kind: upstream's manager looks only at what its garbage collector watches, half a minute later, and only if it knows of
 * something that is younger than the migration.
 */
export async function untilOver(kit: Kit, name: string, things?: Things): Promise<StorageVersionMigration> {
  const holds = ({ status }: StorageVersionMigration, type: string, value: string) =>
    findCondition(status?.conditions, type)?.status === value;
  const migration = migrationName(kit, name);
  let looks = 0;
  return await kit.until(STORAGEVERSIONMIGRATIONS, migration, "is over", async (found) => {
    if (things && ++looks % LOOKS === 0) await remind(kit, migration, { things, looks });
    return holds(found, "Running", "False") && (holds(found, "Succeeded", "True") || holds(found, "Failed", "True"));
  });
}

async function remind(
  kit: Kit,
  migration: string,
  { things: { resource }, looks }: { readonly things: Things; readonly looks: number },
): Promise<void> {
  const metadata = { annotations: { looks: String(looks) } };
  const thing = { apiVersion: `${resource.group}/v1`, kind: "Thing", metadata: { ...metadata, name: "reminder" } };
  const ref = { namespace: kit.namespace, name: "reminder" };
  await kit.client.patch(resource, ref, { type: "apply", fieldManager: "test", body: thing });
  await kit.client.patch(STORAGEVERSIONMIGRATIONS, { name: migration }, { type: "merge", body: { metadata } });
}

/** The versions of the scenario's things, by name. */
export async function versionsOf(kit: Kit, { resource }: Things): Promise<Record<string, string>> {
  const things = (await kit.list(resource)).filter(({ metadata }) => metadata?.name !== "reminder");
  return Object.fromEntries(things.map(({ metadata }) => [metadata!.name!, metadata!.resourceVersion!]));
}

/** What is told of a migration, without when and at which version. */
export function told({ metadata, status }: StorageVersionMigration): unknown {
  const conditions = (status?.conditions ?? []).map(({ lastTransitionTime: _, ...condition }) => condition);
  const managers = metadata?.managedFields?.map((
    { manager, operation, subresource },
  ) => [manager, operation, subresource])
    .filter(([manager]) => manager === "kube-controller-manager");
  return { conditions, hasVersion: (status?.resourceVersion ?? "") !== "", managers };
}

/** What a definition says of versions and migrations, and who says it. */
export async function toldByDefinition(kit: Kit, { definition }: Things): Promise<unknown> {
  const { metadata, status }: CustomResourceDefinition = await kit.get(CUSTOMRESOURCEDEFINITIONS, definition);
  const { lastTransitionTime: _, observedGeneration, ...condition } = findCondition(
    status?.conditions,
    "StorageMigrating",
  )!;
  const managers = metadata?.managedFields?.filter(({ manager }) => manager === "migration-runner-controller")
    .map(({ manager, operation, subresource, fieldsV1 }) => [manager, operation, subresource, fieldsV1]);
  const isCurrent = observedGeneration === metadata?.generation;
  return { storedVersions: status?.storedVersions, condition, isCurrent, managers };
}
