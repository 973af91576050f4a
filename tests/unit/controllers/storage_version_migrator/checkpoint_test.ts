import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { CONFIGMAPS, formatTime, type StorageVersionMigration } from "../../../../src/api/mod.ts";
import { type DiscoveredResource, NoMatchError, StatusError } from "../../../../src/client/mod.ts";
import { syncCheckpoint } from "../../../../src/controllers/storage_version_migrator/checkpoint.ts";
import type { MigratorContext } from "../../../../src/controllers/storage_version_migrator/context.ts";

const FOUND: DiscoveredResource = { ...CONFIGMAPS, verbs: ["list", "patch", "update"], subresources: [] };
const NOT_FOUND = new StatusError({ status: "Failure", code: 404, reason: "NotFound", message: "gone" });

interface Rig {
  readonly ageMs?: number;
  readonly states?: readonly string[];
  readonly before?: string;
  /** What discovery finds, or fails with. */
  readonly mapped?: DiscoveredResource;
  readonly served?: readonly DiscoveredResource[] | Error;
  /** At what the list is, or what it fails with. */
  readonly listed?: string | Error;
}

/** What is written of a migration of ConfigMaps; and what is listed for it. */
async function checkpoint({ ageMs = 0, states = ["Running"], before, served = [FOUND], listed = "100", ...rest }: Rig) {
  const world = new FakeWorld();
  const mapped = "mapped" in rest ? rest.mapped : FOUND;
  const conditions = states.map((type) => ({ type, status: "True", reason: "", message: "", lastTransitionTime: "" }));
  const migration: StorageVersionMigration = {
    metadata: { name: "m", creationTimestamp: formatTime(world.clock.wallMs() - ageMs) },
    spec: { resource: { group: "", resource: "configmaps" } },
    status: { conditions, resourceVersion: before },
  };
  const written: StorageVersionMigration[] = [];
  const lists: unknown[] = [];
  const context = {
    world,
    client: { updateStatus: (_: unknown, object: StorageVersionMigration) => Promise.resolve(written.push(object)) },
    quick: {
      listMetadata: (_: unknown, options: unknown) => {
        lists.push(options);
        if (listed instanceof Error) return Promise.reject(listed);
        return Promise.resolve({ metadata: { resourceVersion: listed }, items: [] });
      },
    },
    discovery: { resourcesOf: () => served instanceof Error ? Promise.reject(served) : Promise.resolve(served) },
    mapper: {
      resourceNamed: (query: { group: string; plural: string }) =>
        mapped ? Promise.resolve(mapped) : Promise.reject(new NoMatchError(query)),
    },
    migrations: { get: () => migration },
  } as unknown as MigratorContext; // no more of it is used
  await syncCheckpoint("m", context);
  const [status] = written.map(({ status }) => status);
  const failed = status?.conditions?.find(({ type }) => type === "Failed")?.message;
  return { version: status?.resourceVersion, failed, writes: written.length, lists };
}

Deno.test("syncCheckpoint: a running migration goes by the version of a list that is empty in any case", async () => {
  const { version, failed, lists } = await checkpoint({});
  assertEquals([version, failed, lists], ["100", undefined, [{ namespace: "@fake:svm_ns!", limit: 1 }]]);
  const ofCluster = { ...FOUND, namespaced: false };
  const { lists: cluster } = await checkpoint({ mapped: ofCluster, served: [ofCluster] });
  assertEquals(cluster, [{ namespace: undefined, limit: 1 }]);
});

Deno.test("syncCheckpoint: a migration that does not run, is over, or has its version is left alone", async () => {
  for (
    const rig of [{ states: [] }, { states: ["Running", "Failed"] }, { states: ["Running", "Succeeded"] }, {
      before: "9",
    }]
  ) {
    assertEquals((await checkpoint(rig)).writes, 0);
  }
});

Deno.test("syncCheckpoint: what is not served after a minute never will be", async () => {
  await assertRejects(() => checkpoint({ mapped: undefined, ageMs: 59_000 }), Error, "it is not served, and may come");
  const { failed } = await checkpoint({ mapped: undefined, ageMs: 61_000 });
  assertEquals(failed, "resource does not exist in discovery");
});

Deno.test("syncCheckpoint: what cannot be listed, patched and updated cannot be migrated", async () => {
  const message = 'resource "/v1, Resource=configmaps" does not support discovery operations: [update patch list]';
  for (const served of [[{ ...FOUND, verbs: ["list", "update"] }], NOT_FOUND]) {
    assertEquals((await checkpoint({ served })).failed, message);
  }
});

Deno.test("syncCheckpoint: a failure of discovery or of the list is tried again", async () => {
  await assertRejects(() => checkpoint({ served: new Error("down") }), Error, "down");
  await assertRejects(() => checkpoint({ served: [] }), Error, "not found in discovery");
  await assertRejects(() => checkpoint({ listed: new Error("down") }), Error, "down");
});

Deno.test("syncCheckpoint: a version that is not a number ends the migration", async () => {
  for (const listed of ["abc", "", "0", "012"]) {
    const { failed, version } = await checkpoint({ listed });
    assertEquals(failed?.startsWith("latest resourceVersion for /v1, Resource=configmaps is not valid: "), true);
    assertEquals(version, undefined);
  }
});
