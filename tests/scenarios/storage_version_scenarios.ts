/** What becomes of what API servers say of storage versions, and of migrations to them, under either manager. */
import { PRIORITYCLASSES, STORAGEVERSIONMIGRATIONS, STORAGEVERSIONS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  createLease,
  defineThings,
  deleteLease,
  migrate,
  migrationName,
  note,
  sayVersions,
  storeIn,
  told,
  toldByDefinition,
  untilOver,
  untilSaid,
  versionName,
  versionsOf,
} from "./storage_version_kit.ts";

/** Writes down what the StorageVersion says, without when. */
async function noteVersion(kit: Kit): Promise<void> {
  const { status } = await kit.get(STORAGEVERSIONS, versionName(kit));
  const conditions = status?.conditions?.map(({ lastTransitionTime: _, ...condition }) => condition);
  await note(kit, { status: { ...status, conditions } });
}

export const STORAGE_VERSION_SCENARIOS: readonly Scenario[] = [
  {
    name: "storageversion-server-without-lease",
    run: async (kit) => {
      for (const server of ["b", "c"]) await createLease(kit, server);
      await sayVersions(kit, { a: "v1", b: "v2", c: "v2" });
      await untilSaid(kit, "b", "c");
      await noteVersion(kit);
    },
  },
  {
    name: "storageversion-lease-goes",
    run: async (kit) => {
      for (const server of ["a", "b", "c"]) await createLease(kit, server);
      await sayVersions(kit, { a: "v1", b: "v2", c: "v3" });
      await deleteLease(kit, "a");
      await untilSaid(kit, "b", "c");
      await noteVersion(kit);
    },
  },
  {
    name: "storageversion-last-server-goes",
    run: async (kit) => {
      await createLease(kit, "a");
      await sayVersions(kit, { a: "v1" });
      await deleteLease(kit, "a");
      await kit.untilGone(STORAGEVERSIONS, versionName(kit));
      await note(kit, { isGone: true });
    },
  },
  {
    name: "storageversion-lease-of-something-else",
    run: async (kit) => {
      await createLease(kit, "a");
      await createLease(kit, "b", "kube-aggregator");
      await sayVersions(kit, { a: "v1", b: "v1" });
      await untilSaid(kit, "a");
      await noteVersion(kit);
    },
  },
  {
    name: "storageversion-one-after-the-other",
    run: async (kit) => {
      for (const server of ["a", "b", "c"]) await createLease(kit, server);
      await sayVersions(kit, { a: "v1", b: "v2", c: "v1" });
      await deleteLease(kit, "b");
      await untilSaid(kit, "a", "c");
      await deleteLease(kit, "c");
      await untilSaid(kit, "a");
      await noteVersion(kit);
    },
  },
];

export const MIGRATION_SCENARIOS: readonly Scenario[] = [
  {
    name: "migration-of-a-built-in-kind",
    run: async (kit) => {
      await kit.client.create(PRIORITYCLASSES, { metadata: { name: kit.namespace }, value: 7 });
      await migrate(kit, "a", "scheduling.k8s.io", "priorityclasses");
      const { metadata } = await kit.get(PRIORITYCLASSES, kit.namespace);
      const migration = await untilOver(kit, "a");
      const after = await kit.get(PRIORITYCLASSES, kit.namespace);
      const isSame = metadata?.resourceVersion === after.metadata?.resourceVersion;
      const managers = after.metadata?.managedFields?.map(({ manager, operation }) => [manager, operation]);
      await note(kit, { migration: told(migration), isSame, managers });
    },
  },
  {
    name: "migration-of-a-custom-kind",
    run: async (kit) => {
      const things = await defineThings(kit);
      await storeIn(kit, things, "v2");
      const before = await versionsOf(kit, things);
      await migrate(kit, "a", things.resource.group, "things");
      const migration = told(await untilOver(kit, "a", things));
      const after = await versionsOf(kit, things);
      const written = Object.keys(after).filter((name) => after[name] !== before[name]);
      await note(kit, { migration, definition: await toldByDefinition(kit, things), written });
    },
  },
  {
    name: "migration-there-and-back",
    run: async (kit) => {
      const things = await defineThings(kit, 1);
      await storeIn(kit, things, "v2");
      await migrate(kit, "a", things.resource.group, "things");
      const there = told(await untilOver(kit, "a", things));
      await storeIn(kit, things, "v1");
      await migrate(kit, "b", things.resource.group, "things");
      const back = told(await untilOver(kit, "b", things));
      await note(kit, { there, back, definition: await toldByDefinition(kit, things) });
    },
  },
  {
    name: "migration-of-what-is-not-there",
    run: async (kit) => {
      await migrate(kit, "a", "example.com", "nothings");
      await note(kit, { migration: told(await untilOver(kit, "a")) });
    },
  },
  {
    name: "migration-of-what-cannot-be-patched",
    run: async (kit) => {
      await migrate(kit, "a", "", "componentstatuses");
      await note(kit, { migration: told(await untilOver(kit, "a")) });
    },
  },
  {
    name: "migration-of-the-same-kind-by-two",
    run: async (kit) => {
      for (const name of ["a", "b"]) await migrate(kit, name, "networking.k8s.io", "ingressclasses");
      const [a, b] = [await untilOver(kit, "a"), await untilOver(kit, "b")];
      await note(kit, { a: told(a), b: told(b) });
    },
  },
  {
    name: "migration-that-is-taken-back",
    run: async (kit) => {
      const things = await defineThings(kit, 1);
      await migrate(kit, "a", things.resource.group, "things");
      await untilOver(kit, "a", things);
      await kit.client.delete(STORAGEVERSIONMIGRATIONS, { name: migrationName(kit, "a") });
      await migrate(kit, "a", things.resource.group, "things");
      const migration = told(await untilOver(kit, "a", things));
      await note(kit, { migration, definition: await toldByDefinition(kit, things) });
    },
  },
];
