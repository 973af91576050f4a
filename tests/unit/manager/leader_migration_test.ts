import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { leaderMigration, managerFlags, managerOptions } from "../../../src/manager/mod.ts";

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
  const { elsewhere, byMigrationLease } = await migration(MOVING);
  assertEquals([...elsewhere], ["job-controller"]);
  assertEquals([...byMigrationLease], ["cronjob-controller", "deployment-controller"]);
  const { controllers } = managerOptions(managerFlags([]), elsewhere);
  assertEquals([controllers.has("job-controller"), controllers.has("cronjob-controller")], [false, true]);
});

Deno.test("leaderMigration moves nothing where it is off, without a file, and without an election", async () => {
  const world = new FakeWorld();
  for (
    const found of [
      await migration(MOVING, "--enable-leader-migration=false"),
      await leaderMigration(world.files, managerFlags(["--enable-leader-migration"])),
      await migration(MOVING, "--leader-elect=false"),
    ]
  ) assertEquals([found.elsewhere.size, found.byMigrationLease.size], [0, 0]);
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
      `${HEAD}leaderName: a\nresourceLock: b`,
      "resourceLock: Invalid value: \"b\": resource Lock must be one of 'leases'",
    ],
    [`${HEAD}leaderName: a\nfoo: 1`, 'unknown field "foo"'],
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
