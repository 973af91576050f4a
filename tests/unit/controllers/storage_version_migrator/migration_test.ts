import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { CONFIGMAPS, formatTime, type StorageVersionMigration } from "../../../../src/api/mod.ts";
import { ConnectionError, NoMatchError, StatusError } from "../../../../src/client/mod.ts";
import type { MigratorContext } from "../../../../src/controllers/storage_version_migrator/context.ts";
import { syncMigration } from "../../../../src/controllers/storage_version_migrator/migration.ts";

function failure(code: number, reason: string): StatusError {
  return new StatusError({ status: "Failure", code, reason, message: `${reason}!` });
}

interface Rig {
  readonly checkpoint?: string;
  readonly states?: readonly string[];
  /** Versions of objects, page by page. */
  readonly pages?: readonly (readonly string[])[];
  readonly listVersion?: string;
  readonly isServed?: boolean;
  /** What becomes of the patch of the object with this version. */
  readonly failures?: Readonly<Record<string, Error>>;
}

/** Migrates ConfigMaps: what is patched, and what is written of the migration. */
async function migration(
  { checkpoint = "100", states = ["Running"], pages = [[]], listVersion = "200", isServed = true, failures = {} }: Rig,
) {
  const world = new FakeWorld();
  const conditions = states.map((type) => ({ type, status: "True", reason: "", message: "", lastTransitionTime: "" }));
  const object: StorageVersionMigration = {
    metadata: { name: "m", creationTimestamp: formatTime(world.clock.wallMs() - 61_000) },
    spec: { resource: { group: "", resource: "configmaps" } },
    status: { conditions, resourceVersion: checkpoint },
  };
  const patches: unknown[] = [];
  const written: StorageVersionMigration[] = [];
  const context = {
    world,
    client: {
      updateStatus: (_: unknown, migrated: StorageVersionMigration) => Promise.resolve(written.push(migrated)),
    },
    quick: {
      listMetadata: (_: unknown, { limit, continue: token = "0" }: { limit: number; continue?: string }) => {
        assertEquals(limit, 500);
        const items = pages[Number(token)].map((resourceVersion) => ({
          metadata: { name: `c${resourceVersion}`, namespace: "n", uid: `u${resourceVersion}`, resourceVersion },
        }));
        const next = Number(token) + 1;
        return Promise.resolve({
          metadata: { resourceVersion: listVersion, continue: next < pages.length ? String(next) : "" },
          items,
        });
      },
      patchMetadata: (_: unknown, { name }: { name: string }, options: unknown) => {
        patches.push({ name, ...options as object });
        const error = failures[name.slice(1)];
        return error ? Promise.reject(error) : Promise.resolve({});
      },
    },
    mapper: {
      resourceNamed: (query: { group: string; plural: string }) =>
        isServed ? Promise.resolve(CONFIGMAPS) : Promise.reject(new NoMatchError(query)),
    },
    migrations: { get: () => object },
  } as unknown as MigratorContext; // no more of it is used
  let error: unknown;
  await syncMigration("m", context, new AbortController().signal).catch((thrown) => error = thrown);
  const last = written.at(-1)?.status?.conditions?.at(-1);
  return {
    patches,
    names: patches.map((patch) => (patch as { name: string }).name),
    last,
    writes: written.length,
    error,
  };
}

Deno.test("syncMigration: what is not newer than the checkpoint is applied with nothing but its identity", async () => {
  const { patches, last } = await migration({ pages: [["90", "100", "101"]] });
  assertEquals(
    patches,
    ["90", "100"].map((resourceVersion) => ({
      name: `c${resourceVersion}`,
      type: "apply",
      fieldManager: "storage-version-migrator-controller",
      body: { kind: "ConfigMap", apiVersion: "v1", metadata: { uid: `u${resourceVersion}`, resourceVersion } },
    })),
  );
  assertEquals([last?.type, last?.status, last?.reason, last?.message], [
    "Succeeded",
    "True",
    "StorageVersionMigrationSucceeded",
    "",
  ]);
});

Deno.test("syncMigration: all pages are migrated", async () => {
  const { names, last } = await migration({ pages: [["1", "2"], ["300"], ["3"]] });
  assertEquals([names, last?.type], [["c1", "c2", "c3"], "Succeeded"]);
});

Deno.test("syncMigration: a migration that is over, or has no checkpoint, is left alone", async () => {
  for (const rig of [{ states: ["Succeeded"] }, { states: ["Running", "Failed"] }, { checkpoint: "" }]) {
    const { names, writes } = await migration({ ...rig, pages: [["1"]] });
    assertEquals([names, writes], [[], 0]);
  }
});

Deno.test("syncMigration: a conflict means that the object was written meanwhile", async () => {
  const { names, last } = await migration({ pages: [["1", "2"]], failures: { 1: failure(409, "Conflict") } });
  assertEquals([names, last?.type], [["c1", "c2"], "Succeeded"]);
});

Deno.test("syncMigration: a failure that passes is tried again later, and nothing is told of it", async () => {
  const passing = [
    failure(429, "TooManyRequests"),
    failure(500, "InternalError"),
    failure(503, "ServiceUnavailable"),
    failure(504, "Timeout"),
    failure(500, "ServerTimeout"),
    new ConnectionError("reset", "connection lost"),
  ];
  for (const error of passing) {
    const { names, writes, error: thrown } = await migration({ pages: [["1", "2"]], failures: { 1: error } });
    assertEquals([names, writes, thrown], [["c1"], 0, error]);
  }
});

Deno.test("syncMigration: any other failure ends the migration", async () => {
  const { names, last } = await migration({ pages: [["1", "2"]], failures: { 1: failure(422, "Invalid") } });
  assertEquals([names, last?.type, last?.message], [
    ["c1"],
    "Failed",
    "migration encountered unhandled error: Invalid!",
  ]);
  const { last: unserved } = await migration({ isServed: false });
  assertEquals(unserved?.message, "migration encountered unhandled error: unable to obtain GVR from discovery");
  for (const rig of [{ pages: [["x"]] }, { listVersion: "abc" }, { checkpoint: "01" }]) {
    assertEquals((await migration(rig)).last?.type, "Failed");
  }
});

Deno.test("syncMigration: a list that is older than the checkpoint decides nothing", async () => {
  const { names, writes, error } = await migration({ pages: [["1"]], listVersion: "99" });
  assertEquals([names, writes], [[], 0]);
  await assertRejects(() => Promise.reject(error), Error, "the list at 99 is older than 100");
});
