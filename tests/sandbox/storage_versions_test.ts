/** Storage versions and migrations when leases cannot be read, writes fail or much is stored, on the embedded API server. */
import { assert, assertEquals } from "@std/assert";
import {
  CONFIGMAPS,
  CUSTOMRESOURCEDEFINITIONS,
  findCondition,
  LEASES,
  type StorageVersionMigration,
  STORAGEVERSIONMIGRATIONS,
  STORAGEVERSIONS,
} from "kubeloop/api";
import { startTestCluster, type TestCluster } from "kubeloop/testing";
import type { Kit } from "../scenarios/kit.ts";
import {
  createLease,
  defineThings,
  deleteLease,
  migrate,
  sayVersions,
  storeIn,
  untilOver,
  untilSaid,
  versionName,
} from "../scenarios/storage_version_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const flags = ["--feature-gates=StorageVersionAPI=true,StorageVersionMigrator=true", "--kube-api-qps=-1"];

async function rig(): Promise<{ cluster: TestCluster; kit: Kit } & AsyncDisposable> {
  const cluster = await startTestCluster({ nodes: 0, flags });
  const namespace = await cluster.namespace("scenario");
  const kit = kitOf(cluster, namespace);
  return { cluster, kit, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

function conditionsOf({ status }: StorageVersionMigration): string[] {
  return (status?.conditions ?? []).map(({ type, status, message }) => `${type}=${status}: ${message}`);
}

Deno.test("what an API server says is kept while its lease cannot be read", async () => {
  await using stage = await rig();
  const { cluster, kit } = stage;
  for (const server of ["a", "b"]) await createLease(kit, server);
  cluster.fault({
    verb: "get",
    resource: LEASES.plural + ".coordination.k8s.io",
    name: "scenario-a",
    times: 4,
    status: { code: 403 },
  });
  await sayVersions(kit, { a: "v1", b: "v1", gone: "v1" });
  assertEquals((await untilSaid(kit, "a", "b")).status?.commonEncodingVersion, "v1");
});

Deno.test("a StorageVersion that changes meanwhile is read again before it is written or deleted", async () => {
  await using stage = await rig();
  const { cluster, kit } = stage;
  await createLease(kit, "a");
  cluster.fault({
    verb: "update",
    resource: "storageversions.internal.apiserver.k8s.io/status",
    after: 1,
    times: 3,
    status: { code: 409 },
  });
  await sayVersions(kit, { a: "v1", gone: "v2" });
  await untilSaid(kit, "a");
  cluster.fault({
    verb: "delete",
    resource: "storageversions.internal.apiserver.k8s.io",
    times: 3,
    status: { code: 409 },
  });
  await deleteLease(kit, "a");
  await kit.untilGone(STORAGEVERSIONS, versionName(kit));
});

Deno.test("a lease that comes back, or is not an API server's, takes nothing away", async () => {
  await using stage = await rig();
  const { cluster, kit } = stage;
  for (const server of ["a", "b"]) await createLease(kit, server);
  await createLease(kit, "other", "kube-aggregator");
  await sayVersions(kit, { a: "v1", b: "v2" });
  const before = await untilSaid(kit, "a", "b");
  cluster.fault({ verb: "get", resource: LEASES.plural + ".coordination.k8s.io", name: "scenario-a", delayMs: 5000 });
  await deleteLease(kit, "a");
  await createLease(kit, "a");
  await deleteLease(kit, "other");
  await cluster.advance(60_000);
  const after = await kit.get(STORAGEVERSIONS, versionName(kit));
  assertEquals(after.metadata.resourceVersion, before.metadata.resourceVersion);
});

Deno.test("1,200 objects are migrated page by page, in spite of pages that expire and writes that fail", async () => {
  await using stage = await rig();
  const { cluster, kit } = stage;
  const names = Array.from({ length: 1200 }, (_, i) => `c${i}`);
  await Promise.all(names.map((name) => kit.create(CONFIGMAPS, { metadata: { name }, data: { a: "b" } })));
  cluster.fault({
    verb: "list",
    resource: "configmaps",
    userAgent: "storage-version-migrator",
    after: 2,
    times: 1,
    status: { code: 410, reason: "Expired" },
  });
  const patches = { verb: "patch", resource: "configmaps" } as const;
  const faults = [500, 503, 504].map((code) => cluster.fault({ ...patches, after: 40, times: 2, status: { code } }));
  const conflicts = cluster.fault({ ...patches, after: 500, times: 50, status: { code: 409 } });
  const others = cluster.fault({ ...patches, delayMs: 0 });
  await migrate(kit, "a", "", "configmaps");
  assertEquals(conditionsOf(await untilOver(kit, "a")), ["Running=False: Migration completed", "Succeeded=True: "]);
  assertEquals([...faults.map(({ hits }) => hits), conflicts.hits], [2, 2, 2, 50]);
  assert(others.hits >= 1200 - 50, `${others.hits} objects were written`);
});

Deno.test("an error that nothing can be done about ends a migration, and the stored versions stay", async () => {
  await using stage = await rig();
  const { cluster, kit } = stage;
  const things = await defineThings(kit);
  await storeIn(kit, things, "v2");
  cluster.fault({ verb: "patch", resource: things.definition, times: 1, status: { code: 422, message: "no" } });
  await migrate(kit, "a", things.resource.group, "things");
  const failed = conditionsOf(await untilOver(kit, "a"));
  assertEquals(failed.map((text) => text.slice(0, 60)), [
    "Running=False: Migration completed",
    "Failed=True: migration encountered unhandled error: no",
  ]);
  const { status } = await kit.get(CUSTOMRESOURCEDEFINITIONS, things.definition);
  assertEquals(status?.storedVersions, ["v1", "v2"]);
  const { reason, message } = findCondition(status?.conditions, "StorageMigrating")!;
  assertEquals([reason, message], ["MigrationFailed", "The migration has failed"]);
});

Deno.test("a definition that changes while its objects are migrated keeps its stored versions", async () => {
  await using stage = await rig();
  const { cluster, kit } = stage;
  const things = await defineThings(kit);
  await storeIn(kit, things, "v2");
  cluster.fault({ verb: "patch", resource: things.definition, delayMs: 20_000, times: 3 });
  await migrate(kit, "a", things.resource.group, "things");
  await cluster.advance(5000);
  await storeIn(kit, things, "v1");
  await untilOver(kit, "a");
  const { status } = await kit.get(CUSTOMRESOURCEDEFINITIONS, things.definition);
  assertEquals(status?.storedVersions, ["v1", "v2"]);
  assertEquals(
    findCondition(status?.conditions, "StorageMigrating")?.message,
    "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
  );
});

Deno.test("of migrations of one resource the oldest runs alone, and the next one when it is over or gone", async () => {
  await using stage = await rig();
  const { cluster, kit } = stage;
  const things = await defineThings(kit);
  cluster.fault({ verb: "patch", resource: things.definition, delayMs: 60_000, times: 1 });
  for (const name of ["b", "a", "c"]) {
    await migrate(kit, name, things.resource.group, "things");
    await cluster.advance(1500);
  }
  const running = async () => {
    const all = (await kit.list(STORAGEVERSIONMIGRATIONS)).filter(({ status }) =>
      findCondition(status?.conditions, "Running")?.status === "True"
    );
    return all.map(({ metadata }) => metadata?.name);
  };
  assertEquals(await running(), ["scenario-b"]);
  await cluster.client.delete(STORAGEVERSIONMIGRATIONS, { name: "scenario-b" });
  await cluster.advance(1000);
  await untilOver(kit, "a");
  await untilOver(kit, "c");
  assertEquals(await running(), []);
});
