import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { SECRETS } from "../../../../src/api/mod.ts";
import { FenceView, SharedFence } from "../../../../src/election/mod.ts";
import { GroupRig } from "./rig.ts";

Deno.test("Group: stop of one whose code turns out not to load finds nothing under way", async () => {
  await using rig = new GroupRig();
  const stopped = rig.groups.stop();
  let isClean: boolean | undefined;
  void stopped.then((value) => isClean = value);
  for (const name of ["a", "b"]) rig.thread(name).throwError("no such module");
  await rig.world.clock.advance(1000);
  assertEquals(isClean, true);
});

Deno.test("Group: one that cannot be started again stays down after as many failures as any other", async () => {
  await using rig = new GroupRig({ mostFailures: 3 });
  await rig.world.clock.advance(3_600_000);
  rig.spawnFailure = new Error("no more threads");
  rig.thread("a").throwError("out of luck");
  await rig.world.clock.advance(120_000);
  assertEquals(rig.failures(), ["group-a: down: no more threads"]);
});

Deno.test("Group: one that waits for the API server stops when it is asked to", async () => {
  await using rig = new GroupRig({ assignments: [{ name: "a", controllers: ["namespace-controller"] }] });
  rig.isAway = true;
  await rig.world.clock.advance(3000);
  let isClean: boolean | undefined;
  void rig.groups.stop().then((value) => isClean = value);
  await rig.world.clock.advance(1000);
  assertEquals(isClean, true);
});

Deno.test("Group: one that is still being built stops when it is asked to, whatever it waits for", async () => {
  await using rig = new GroupRig({ assignments: [{ name: "a", controllers: ["namespace-controller"] }] });
  rig.isSilent = true;
  await rig.world.clock.advance(3000);
  let isClean: boolean | undefined;
  void rig.groups.stop().then((value) => isClean = value);
  await rig.world.clock.advance(1000);
  assertEquals(isClean, true);
});

Deno.test("GroupLife: after close it sends no request that writes, if it sends by itself", async () => {
  const fence = new SharedFence();
  fence.openUntil();
  const token = () => {
    throw new Error("nobody asks for a token");
  };
  await using rig = new GroupRig({
    direct: { address: "127.0.0.1:443", token, tls: () => ({}) },
    fence,
  });
  await rig.world.clock.advance(1000);
  const views = () =>
    rig.threads.get("a")!.map(({ readFence }) => {
      const view = new FenceView(readFence, rig.world.clock);
      view.compare(0, 0);
      return view.isOpen;
    });
  assertEquals(views(), [true]);
  rig.thread("a").throwError("out of luck");
  assertEquals(views(), [false]);
  await rig.world.clock.advance(5000);
  assertEquals(views(), [false, true]);
  fence.openUntil();
  assertEquals(views(), [false, true], "for good");
});

Deno.test("GroupLife: a thread has failed if it blocks, takes too much memory, asks for something forbidden or sends a malformed message: one that asks for what no controller reads is ended, and gets nothing", async () => {
  await using rig = new GroupRig();
  await rig.world.clock.advance(1000);
  const watches = rig.server.openWatches;
  const data = [{ what: "subscribe", stream: 99, topic: { resource: SECRETS } } as const];
  rig.thread("a").onmessage!(new MessageEvent("message", { data }));
  assertEquals([rig.failures(), rig.thread("a").isTerminated], [
    ['group-a: waiting: it may not watch "secrets"'],
    true,
  ]);
  assert(rig.server.openWatches <= watches);
});

Deno.test("GroupLife: a thread that says what nobody understands has failed; it is ended, and the process lives on", async () => {
  for (const data of [null, [null], [{ what: "subscribe", stream: 99 }]]) {
    await using rig = new GroupRig();
    await rig.world.clock.advance(1000);
    rig.thread("a").onmessage!(new MessageEvent("message", { data: JSON.parse(JSON.stringify(data)) }));
    assert(rig.thread("a").isTerminated, JSON.stringify(data));
    assertStringIncludes(rig.failures().join(), "group-a: waiting: what it said cannot be understood: ");
    await rig.world.clock.advance(10_000);
    assertEquals(rig.failures(), []);
  }
});

Deno.test("GroupLife: after close nothing that the thread sent is acted on", async () => {
  await using rig = new GroupRig();
  await rig.world.clock.advance(1000);
  const ended = rig.thread("a");
  ended.throwError("out of luck");
  const lines = rig.lines.length;
  const data = [{ what: "log", line: "late" }, {
    what: "stopped",
    controller: "deployment-controller",
    reason: "late",
  }];
  ended.onmessage!(new MessageEvent("message", { data: JSON.parse(JSON.stringify(data)) }));
  ended.throwError("late");
  assertEquals([rig.lines.length, rig.failures()], [lines, ["group-a: waiting: out of luck"]]);
  assertEquals(rig.controllerChecks.flatMap(({ isNotReady }) => isNotReady?.() ?? []), []);
});

Deno.test("Group: one that does not answer a question in time keeps nobody from hearing the others", async () => {
  await using rig = new GroupRig();
  await rig.world.clock.advance(1000);
  rig.thread("b").isBlocked = true;
  let answers: readonly string[] | undefined;
  void rig.groups.ask({ about: "metrics" }).then((value) => answers = value);
  await rig.world.clock.advance(1900);
  assertEquals(answers?.map((text) => text.includes('workqueue_adds_total{name="deployment"}')), [true]);
});
