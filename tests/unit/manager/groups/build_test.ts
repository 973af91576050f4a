import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Deployment, DEPLOYMENTS } from "../../../../src/api/mod.ts";
import { GroupRig } from "./rig.ts";

/** One group, which must ask the API server what it serves before it can be built. */
const ASKING = {
  mostFailures: 3,
  assignments: [{ name: "a", controllers: ["namespace-controller", "deployment-controller"] }],
};

function hopelessness(rig: GroupRig): () => string | undefined {
  let why: string | undefined;
  void rig.groups.hopeless.then((reason) => why = reason);
  return () => why;
}

for (const what of ["is away", "refuses"]) {
  Deno.test(`Group: a standby whose API server ${what} tries again to build its controllers, and has not failed`, async () => {
    await using rig = new GroupRig(ASKING);
    rig.isAway = what === "is away";
    rig.refusal = 403;
    const why = hopelessness(rig);
    await rig.world.clock.advance(300_000);
    assertEquals([rig.failures(), rig.threads.get("a")!.length, why()], [["group-a: starting"], 1, undefined]);
    rig.isAway = false;
    rig.refusal = undefined;
    await rig.world.clock.advance(10_000);
    assertEquals(rig.failures(), []);
  });
}

Deno.test("GroupRunner: a standby that cannot build its controllers tries again, immediately if it becomes leader", async () => {
  await using rig = new GroupRig(ASKING);
  rig.refusal = 500;
  await rig.world.clock.advance(11_000);
  rig.refusal = undefined;
  rig.groups.lead();
  await rig.world.clock.advance(100);
  assertEquals(rig.controllerChecks.map(({ name }) => name), ["namespace-controller", "deployment-controller"]);
});

for (const code of [403, 404, 500]) {
  Deno.test(`Group: who leads and cannot build its controllers, for an answer with ${code}, is not started again`, async () => {
    await using rig = new GroupRig(ASKING);
    rig.refusal = code;
    const why = hopelessness(rig);
    rig.groups.lead();
    await rig.world.clock.advance(1000);
    assertStringIncludes(why() ?? "", 'controller group "a" cannot be built: ');
    await rig.world.clock.advance(120_000);
    assertEquals(rig.threads.get("a")!.length, 1);
    assertEquals(await rig.groups.stop(), true, "nothing is under way");
  });
}

Deno.test("GroupRunner: while the API server is unreachable, a restarted group keeps trying, and does not count as failed", async () => {
  await using rig = new GroupRig(ASKING);
  rig.groups.lead();
  await rig.world.clock.advance(2000);
  rig.isAway = true;
  rig.thread("a").throwError("out of luck");
  const why = hopelessness(rig);
  await rig.world.clock.advance(300_000);
  assertEquals([rig.failures(), rig.threads.get("a")!.length, why()], [["group-a: starting"], 2, undefined]);
  rig.isAway = false;
  await rig.world.clock.advance(10_000);
  assertEquals(rig.failures(), []);
});

Deno.test("Group: there is no check of a controller before it is built, and never one of a controller that has nothing to do", async () => {
  const controllers = ["garbage-collector-controller", "deployment-controller"];
  const flags = ["--enable-garbage-collector=false"];
  await using rig = new GroupRig({ assignments: [{ name: "a", controllers }], flags });
  assertEquals(rig.controllerChecks, []);
  await rig.world.clock.advance(1000);
  const names = () => rig.controllerChecks.map(({ name }) => name);
  assertEquals(names(), ["deployment-controller"]);
  rig.thread("a").throwError("out of luck");
  await rig.world.clock.advance(10_000);
  assertEquals(names(), ["deployment-controller"], "once, however often it starts");
});

Deno.test("Group: the last one that stays down leaves no hope, the others do", async () => {
  await using rig = new GroupRig({ mostFailures: 1 });
  const why = hopelessness(rig);
  await rig.world.clock.advance(1000);
  rig.thread("a").throwError("out of luck");
  await rig.world.clock.advance(1000);
  assertEquals(why(), undefined);
  rig.thread("b").throwError("no better");
  await rig.world.clock.advance(0);
  assertEquals(why(), 'all controller groups are down, "b" as the last: no better');
});

Deno.test("Group: setVerbosity says how much is logged, also after a restart; GroupRunner: verbosity changes how much is logged from then on", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(1000);
  const logged = () => rig.lines.filter((line) => line.includes('"Event occurred" object="default/web"')).length;
  const scale = async (replicas: number) => {
    const web = await rig.client.get<Deployment>(DEPLOYMENTS, { namespace: "default", name: "web" });
    await rig.client.update(DEPLOYMENTS, { ...web, spec: { ...web.spec!, replicas } });
    await rig.world.clock.advance(5000);
  };
  await rig.create("web", 1);
  await rig.world.clock.advance(2000);
  assertEquals(logged(), 0);
  rig.groups.setVerbosity(3);
  await scale(2);
  assertEquals(logged(), 1, rig.lines.join(""));
  rig.thread("a").throwError("out of luck");
  await scale(3);
  assertEquals(logged(), 2, rig.lines.join(""));
});
