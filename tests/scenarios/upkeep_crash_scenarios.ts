/** What storage versions, migrations, groups of pods and admission policies go through while their controllers are killed. */
import {
  CONFIGMAPS,
  PODGROUPS,
  PODS,
  STORAGEVERSIONMIGRATIONS,
  STORAGEVERSIONS,
  VALIDATINGADMISSIONPOLICIES,
} from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import type { Kit } from "./kit.ts";
import { about, DEPLOYMENTS_RULE, untilChecked, writeDown } from "./policy_kit.ts";
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
  untilOver,
  untilSaid,
  versionName,
} from "./storage_version_kit.ts";

const GUARD = "scheduling.k8s.io/podgroup-protection";

async function createGroup(kit: Kit, name: string): Promise<void> {
  await kit.create(PODGROUPS, { metadata: { name }, spec: { schedulingPolicy: { basic: {} } } });
}

/** Makes a pod of a group that nobody schedules. */
async function createMember(kit: Kit, name: string, podGroupName: string): Promise<void> {
  const containers = [{ name: "c", image: "nginx:1" }];
  const spec = { containers, schedulerName: "nobody", schedulingGroup: { podGroupName } };
  await kit.create(PODS, { metadata: { name }, spec });
}

async function createPolicy(kit: Kit, name: string, expression: string): Promise<string> {
  const policy = `${kit.namespace}-${name}`;
  await kit.create(VALIDATINGADMISSIONPOLICIES, {
    metadata: { name: policy },
    spec: { failurePolicy: "Ignore", matchConstraints: about(DEPLOYMENTS_RULE), validations: [{ expression }] },
  });
  return policy;
}

/** What their clusters and managers are started with. */
export const UPKEEP_CRASH_FLAGS: readonly string[] = [
  "--feature-gates=StorageVersionAPI=true,StorageVersionMigrator=true,GenericWorkload=true",
];

export const UPKEEP_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "storage-versions",
    controllers: ["storageversion-garbage-collector-controller"],
    resources: [],
    run: async (kit) => {
      for (const server of ["a", "b", "c"]) await createLease(kit, server);
      await sayVersions(kit, { a: "v1", b: "v2", c: "v3", never: "v1" });
      await untilSaid(kit, "a", "b", "c");
      await deleteLease(kit, "a");
      await untilSaid(kit, "b", "c");
      await deleteLease(kit, "b");
      const { status } = await untilSaid(kit, "c");
      await note(kit, { common: status?.commonEncodingVersion });
      await deleteLease(kit, "c");
      await kit.untilGone(STORAGEVERSIONS, versionName(kit));
    },
  },
  {
    name: "migrations",
    controllers: ["storage-version-migrator-controller"],
    resources: [],
    run: async (kit) => {
      const things = await defineThings(kit, 4);
      await storeIn(kit, things, "v2");
      await migrate(kit, "there", things.resource.group, "things");
      const there = told(await untilOver(kit, "there"));
      await migrate(kit, "nowhere", "example.com", "nothings");
      const nowhere = told(await untilOver(kit, "nowhere"));
      const names = (await kit.list(things.resource)).map(({ metadata }) => metadata!.name);
      await note(kit, { there, nowhere, names });
      await kit.client.delete(STORAGEVERSIONMIGRATIONS, { name: migrationName(kit, "there") });
    },
  },
  {
    name: "groups",
    controllers: ["podgroup-protection-controller"],
    resources: [PODGROUPS],
    run: async (kit) => {
      for (const name of ["a", "b", "idle"]) await createGroup(kit, name);
      for (const [name, group] of [["x", "a"], ["y", "a"], ["z", "b"]]) await createMember(kit, name, group);
      for (const name of ["a", "b", "idle"]) await kit.delete(PODGROUPS, name);
      await kit.untilGone(PODGROUPS, "idle");
      await kit.merge(PODS, "x", { status: { phase: "Succeeded" } }, "status");
      const held = await kit.get(PODGROUPS, "a");
      const data = {
        finalizers: String(held.metadata?.finalizers),
        isHeld: String(held.metadata?.finalizers?.includes(GUARD)),
      };
      await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held" }, data });
      await kit.delete(PODS, "z");
      await kit.untilGone(PODGROUPS, "b");
      await kit.merge(PODS, "y", { status: { phase: "Failed" } }, "status");
      await kit.untilGone(PODGROUPS, "a");
    },
  },
  {
    name: "admission-policies",
    controllers: ["validatingadmissionpolicy-status-controller"],
    resources: [],
    run: async (kit) => {
      const policies = [
        await createPolicy(kit, "bad", "object.spec.nope == 1"),
        await createPolicy(kit, "good", "object.spec.replicas > 1"),
      ];
      for (const policy of policies) await untilChecked(kit, policy);
      const validations = [{ expression: "object.spec.replicas == 'x'" }];
      await kit.merge(VALIDATINGADMISSIONPOLICIES, policies[1], { spec: { validations } });
      for (const [i, policy] of policies.entries()) {
        await writeDown(kit, ["bad", "good"][i], await untilChecked(kit, policy));
      }
    },
  },
];
