import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { CLOUD_CONTROLLER_MANAGER, leaderMigration, managerFlags, managerOptions } from "../../../src/manager/mod.ts";

const HEAD = "apiVersion: controllermanager.config.k8s.io/v1\nkind: LeaderMigrationConfiguration\n";
const MOVING = `${HEAD}leaderName: migration
controllerLeaders:
- { name: job-controller, component: cloud-controller-manager }
- { name: cronjob-controller, component: kube-controller-manager }
- { name: deployment-controller, component: "*" }
`;

const migration = (text: string | undefined, ...more: string[]) => {
  const world = new FakeWorld();
  if (text !== undefined) world.fileContents.set("/migration.yaml", text);
  const flags = managerFlags(["--enable-leader-migration", "--leader-migration-config=/migration.yaml", ...more]);
  return leaderMigration(world.files, flags);
};

Deno.test("leaderMigration tells apart what another component runs and what waits for the migration's lease", async () => {
  const { elsewhere, byMigrationLease } = (await migration(MOVING))!;
  assertEquals([...elsewhere], ["job-controller"]);
  assertEquals([...byMigrationLease], ["cronjob-controller", "deployment-controller"]);
  const { controllers } = managerOptions(managerFlags([]), elsewhere);
  assertEquals([controllers.has("job-controller"), controllers.has("cronjob-controller")], [false, true]);
});

Deno.test("leaderMigration moves nothing where it is off, and without an election", async () => {
  assertEquals(await migration(MOVING, "--enable-leader-migration=false"), undefined);
  assertEquals(await migration(MOVING, "--leader-elect=false"), undefined);
});

Deno.test("leaderMigration takes upstream's standard configuration without a file", async () => {
  const found = await leaderMigration(new FakeWorld().files, managerFlags(["--enable-leader-migration"]));
  assertEquals(found?.leaderName, "cloud-provider-extraction-migration");
  assertEquals([...found!.byMigrationLease], [
    "route-controller",
    "service-controller",
    "cloud-node-lifecycle-controller",
  ]);
  assertEquals(found!.elsewhere.size, 0);
});

Deno.test("leaderMigration reads the same file from the other program's side", async () => {
  const world = new FakeWorld();
  world.fileContents.set("/migration.yaml", MOVING);
  const args = ["--enable-leader-migration", "--leader-migration-config=/migration.yaml"];
  const found = await leaderMigration(world.files, managerFlags(args, CLOUD_CONTROLLER_MANAGER));
  assertEquals([...found!.elsewhere], ["cronjob-controller"]);
  assertEquals([...found!.byMigrationLease], ["job-controller", "deployment-controller"]);
  assertEquals(found!.leaderName, "migration");
});

Deno.test("leaderMigration refuses endpoints as a lock, and the program's own lease", async () => {
  await assertRejects(
    () => migration(MOVING.replace("/v1\n", "/v1beta1\nresourceLock: endpoints\n")),
    Error,
    "error creating lock: endpoints lock is removed",
  );
  await assertRejects(
    () => migration(MOVING.replace("leaderName: migration", "leaderName: kube-controller-manager")),
    Error,
    "must not be that of --leader-elect-resource-name: kube-controller-manager",
  );
});

Deno.test("leaderMigration names the file that it cannot read or use, and why", async () => {
  const cases: [text: string | undefined, why: string][] = [
    [undefined, 'unable to read leader migration configuration from "/migration.yaml": open /migration.yaml: no such'],
    ["a: [b", "/migration.yaml: not valid YAML: "],
    ["- a", "/migration.yaml: it must be a mapping"],
    [
      "kind: Other\napiVersion: a/v1\n",
      "it must be a LeaderMigrationConfiguration of controllermanager.config.k8s.io/v1,",
    ],
    [HEAD, "leaderName: Required value: leaderName must be set for LeaderMigrationConfiguration"],
    [
      `${HEAD.replace("/v1", "/v1alpha1")}leaderName: a\nresourceLock: b`,
      "resourceLock: Invalid value: \"b\": resource Lock must be one of 'leases'",
    ],
    [`${HEAD}leaderName: a\nfoo: 1`, 'unknown field "foo"'],
    [`${HEAD}leaderName: a\nresourceLock: leases`, 'unknown field "resourceLock"'],
    [`${HEAD}leaderName: a\ncontrollerLeaders: 1`, "controllerLeaders must be a list"],
    [`${HEAD}leaderName: a\ncontrollerLeaders: [{ name: b }]`, "controllerLeaders[0].component: Required value"],
    [`${HEAD}leaderName: a\ncontrollerLeaders: [{ component: b }]`, "controllerLeaders[0].name: Required value"],
    [
      `${HEAD}leaderName: a\ncontrollerLeaders: [{ name: b, component: c, d: 1 }]`,
      'unknown field "controllerLeaders[0].d"',
    ],
  ];
  for (const [text, why] of cases) await assertRejects(() => migration(text), Error, why);
});
