import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { DEPLOYMENTS } from "../../../../src/api/mod.ts";
import { GroupRig } from "./rig.ts";

Deno.test("GroupRunner: after start the informers run and fill their caches; the controllers work from lead on", async () => {
  await using rig = new GroupRig();
  await rig.create("web", 2);
  await rig.world.clock.advance(5000);
  assertEquals([await rig.readyPods(), rig.failures()], [0, []]);
  const lists = rig.server.openWatches;
  rig.groups.lead();
  await rig.world.clock.advance(5000);
  assertEquals([await rig.readyPods(), rig.server.openWatches], [2, lists]);
});

Deno.test("Group: both groups share one watch of pods and ReplicaSets", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(5000);
  // Nodes and scheduler have watches of their own.
  const before = rig.server.openWatches;
  rig.server.closeWatches({ resource: "replicasets.apps" }, "break");
  assertEquals(before - rig.server.openWatches, 1);
});

Deno.test("Group: lead lets it work, also after a restart: a thread that throws is started anew, and nothing is missed", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(2000);
  rig.thread("a").throwError("out of luck");
  assertEquals(rig.failures(), ["group-a: waiting: out of luck"]);
  await rig.create("web", 2);
  await rig.world.clock.advance(10_000);
  assertEquals([await rig.readyPods(), rig.failures(), rig.threads.get("a")!.length], [2, [], 2]);
  assertEquals(rig.threads.get("b")!.length, 1, "the other group is not touched");
  assertStringIncludes(rig.metrics.render(), 'kubeloop_group_failures_total{group="a",reason="broken"} 1');
});

Deno.test("Group: a thread that throws, blocks, or takes too much memory is ended and started anew: one whose event loop does not turn", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(2000);
  const blocked = rig.thread("b");
  blocked.isBlocked = true;
  await rig.create("web", 2);
  await rig.world.clock.advance(4000);
  assertEquals([blocked.isTerminated, await rig.readyPods()], [false, 0]);
  await rig.world.clock.advance(15_000);
  assertEquals([blocked.isTerminated, await rig.readyPods(), rig.failures()], [true, 2, []]);
  assertStringIncludes(rig.metrics.render(), 'reason="blocked"');
});

Deno.test("Group: a thread that throws, blocks, or takes too much memory is ended and started anew, later each time", async () => {
  await using rig = new GroupRig({ mostFailures: 5 });
  await rig.world.clock.advance(1000);
  const delays: number[] = [];
  for (let failures = 1; failures <= 3; failures++) {
    rig.thread("a").throwError("out of luck");
    for (delays.push(0); rig.threads.get("a")!.length === failures; delays[failures - 1]++) {
      await rig.world.clock.advance(100);
    }
  }
  assert(delays[0] < delays[1] && delays[1] < delays[2], delays.join());
});

Deno.test("Group: a thread is not blamed for answers that the main thread was too busy to take", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(2000);
  rig.stalledMs = 170_000;
  await rig.world.clock.advance(10_000);
  assertEquals([rig.failures(), rig.threads.get("a")!.length, rig.threads.get("b")!.length], [[], 1, 1]);
});

Deno.test("Group: a thread that throws, blocks, or takes too much memory is ended and started anew: one whose heap passes its share", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(2000);
  rig.thread("a").heapBytes = 51;
  await rig.world.clock.advance(5000);
  assertEquals(rig.threads.get("a")!.length, 2);
  assertStringIncludes(rig.metrics.render(), 'kubeloop_group_failures_total{group="a",reason="heap"} 1');
});

Deno.test("GroupSet has the largest of its groups start anew for want of memory", async () => {
  await using rig = new GroupRig();
  assertEquals(rig.groups.relieve("no thread has said yet what it takes"), false);
  rig.groups.lead();
  rig.thread("b").heapBytes = 20;
  await rig.world.clock.advance(2000);
  assertEquals(rig.groups.relieve("the ceiling is 100 MiB"), true);
  assertEquals(rig.failures(), ["group-b: waiting: the ceiling is 100 MiB"]);
  await rig.world.clock.advance(10_000);
  assertEquals([rig.failures(), rig.threads.get("a")!.length, rig.threads.get("b")!.length], [[], 1, 2]);
  assertStringIncludes(rig.metrics.render(), 'kubeloop_group_failures_total{group="b",reason="heap"} 1');
});

Deno.test("GroupSet has no group that finishes its work start anew for want of memory", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(2000);
  const stopped = rig.groups.stop();
  assertEquals(rig.groups.relieve("the ceiling is 100 MiB"), false);
  await rig.world.clock.advance(1000);
  assertEquals(await stopped, true, "all of it was finished");
});

Deno.test("Group: a controller of it that was stopped for good is not ready until the group is started anew", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(2000);
  const notReady = () => rig.controllerChecks.map(({ name, isNotReady }) => [name, isNotReady?.()]);
  const data = [{ what: "stopped", controller: "deployment-controller", reason: "a key was worked on twice" } as const];
  rig.thread("a").onmessage!(new MessageEvent("message", { data }));
  assertEquals(notReady(), [
    ["deployment-controller", "a key was worked on twice"],
    ["replicaset-controller", undefined],
    ["serviceaccount-controller", undefined],
  ]);
  rig.thread("a").throwError("out of luck");
  await rig.world.clock.advance(10_000);
  assertEquals(notReady()[0], ["deployment-controller", undefined]);
});

Deno.test("Group: a group that fails too often in a row stays down", async () => {
  await using rig = new GroupRig({ mostFailures: 3 });
  await rig.world.clock.advance(1000);
  for (let i = 0; i < 3; i++) {
    rig.thread("a").throwError(`failure ${i}`);
    await rig.world.clock.advance(60_000);
  }
  assertEquals(rig.threads.get("a")!.length, 3);
  assertEquals(rig.failures(), ["group-a: down: failure 2"]);
  assertEquals([true, false].map((isFatal) => rig.groups.checks(isFatal)[0].run()), ["down: failure 2", undefined]);
  const line = rig.world.log.lines.at(-1)!;
  assertEquals([line.message, line.fields.controllers], [
    "Controller group has failed too often and stays down",
    "deployment-controller",
  ]);
});

Deno.test("Group: a group whose first thread ends by an error before it has said anything is not started again", async () => {
  await using rig = new GroupRig();
  rig.thread("a").throwError("no such module");
  await rig.world.clock.advance(60_000);
  assertEquals([rig.threads.get("a")!.length, rig.failures()], [1, ["group-a: down: no such module"]]);
  assertEquals(
    await rig.groups.hopeless,
    'the thread of controller group "a" cannot start (try --controller-groups=none): no such module',
  );
});

Deno.test("Group: stop lets it finish what is under way; GroupRunner: after stop syncs in progress are finished, and ended says whether all of them were", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.create("web", 1);
  await rig.world.clock.advance(5000);
  const stopped = rig.groups.stop();
  await rig.world.clock.advance(1000);
  assertEquals(await stopped, true);
  assert(rig.thread("a").isTerminated && rig.thread("b").isTerminated);
});

Deno.test("Group: stop of one that is down finds nothing under way", async () => {
  await using rig = new GroupRig({ mostFailures: 1 });
  await rig.world.clock.advance(1000);
  rig.thread("a").throwError("out of luck");
  const stopped = rig.groups.stop();
  await rig.world.clock.advance(1000);
  assertEquals(await stopped, true);
});

Deno.test("Group: without the lease nothing is written, whatever its controllers try", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(2000);
  rig.mayWrite = false;
  await rig.create("web", 1);
  await rig.world.clock.advance(5000);
  assertEquals(await rig.readyPods(), 0);
  assertStringIncludes(rig.lines.join(""), "this process may not write any more");
});

Deno.test("Group: its log and its metrics come to the main thread", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.create("web", 1);
  await rig.world.clock.advance(5000);
  assertStringIncludes(rig.lines.join(""), 'deployment-controller] "Starting controller"');
  const asked = rig.groups.ask({ about: "metrics" });
  await rig.world.clock.advance(10);
  const [a, b] = await asked;
  assertStringIncludes(a, 'workqueue_adds_total{name="deployment"}');
  assertStringIncludes(b, 'workqueue_adds_total{name="replicaset"}');
});

Deno.test("Group: a question that it fails to answer is logged and costs nothing else", async () => {
  await using rig = new GroupRig();
  rig.groups.lead();
  await rig.world.clock.advance(5000);
  const asked = rig.groups.ask({ about: "journal", query: null as never });
  await rig.world.clock.advance(1500);
  assertEquals(await asked, []);
  assertStringIncludes(rig.lines.join(""), "Cannot answer a question");
  assertEquals(rig.failures(), []);
});

Deno.test("Group: it is not ready before its caches are filled", async () => {
  await using rig = new GroupRig();
  rig.server.faults.add({ userAgent: "hub", resource: "deployments.apps", verb: "watch", status: { code: 500 } });
  rig.server.faults.add({ userAgent: "hub", resource: "deployments.apps", verb: "list", status: { code: 500 } });
  await rig.world.clock.advance(3000);
  assertEquals(rig.failures(), ["group-a: filling"]);
  rig.server.faults.clear();
  await rig.world.clock.advance(60_000);
  assertEquals(rig.failures(), []);
});

Deno.test("Group: a thread may take two minutes to load before it counts as blocked", async () => {
  await using rig = new GroupRig();
  rig.thread("a").isBlocked = true;
  await rig.world.clock.advance(119_000);
  assertEquals([rig.failures(), rig.threads.get("a")!.length], [["group-a: starting"], 1]);
  await rig.world.clock.advance(5000);
  assertEquals(rig.threads.get("a")!.length, 2);
});

Deno.test("Group: the main thread knows which objects a group's informers cannot read", async () => {
  await using rig = new GroupRig();
  rig.brokenObject = "bad";
  await rig.create("bad", 2);
  rig.groups.lead();
  await rig.create("web", 2);
  await rig.world.clock.advance(10_000);
  assertEquals([await rig.readyPods(), rig.failures()], [2, []]);
  assertEquals(rig.groups.setAside, ['deployments.apps "default/bad": metadata.ownerReferences is not a list']);
  rig.brokenObject = undefined;
  await rig.client.patch(DEPLOYMENTS, { namespace: "default", name: "bad" }, {
    type: "merge",
    body: { spec: { replicas: 1 } },
  });
  await rig.world.clock.advance(10_000);
  assertEquals([await rig.readyPods(), rig.groups.setAside], [3, []]);
});
