import { assert, assertEquals } from "@std/assert";
import type { Pod } from "../../../src/api/mod.ts";
import { Deferred, FakeWorld, TurnBudget } from "../../../src/base/mod.ts";
import type { EventHandler } from "../../../src/cache/mod.ts";
import type { Notification } from "../../../src/cache/notification.ts";
import { ProcessorListener } from "../../../src/cache/processor_listener.ts";
import { ResyncSchedule } from "../../../src/cache/resync_schedule.ts";
import { Journal, pod } from "./fixtures.ts";

function listenerFor(handler: EventHandler<Pod>) {
  const world = new FakeWorld();
  let depth = () => -1;
  const counts = { failed: 0, stopped: 0 };
  const listener = new ProcessorListener<Pod>({
    world,
    handler,
    name: "pods/test",
    resync: new ResyncSchedule({ wantedMs: 0, checkMs: 0, nowMs: 0 }),
    metrics: {
      trackDepth: (read) => depth = read,
      handlerFailed: () => counts.failed++,
      stop: () => counts.stopped++,
    },
    budget: new TurnBudget(world.clock),
  });
  return { world, listener, counts, depth: () => depth(), settle: () => world.clock.advance(0) };
}

function add(name: string, isInInitialList = false): Notification<Pod> {
  return { kind: "add", object: pod(name), isInInitialList };
}

Deno.test("ProcessorListener: a push never blocks, never refuses, and never calls the handler itself", async () => {
  const journal = new Journal();
  const { listener, settle } = listenerFor(journal);
  for (let i = 0; i < 5000; i++) listener.push(add(`p${i}`));
  assertEquals(journal.lines.length, 0);
  await settle();
  assertEquals(journal.lines.length, 5000);
});

Deno.test("ProcessorListener: the handler gets the notifications one at a time, in the order in which they were pushed", async () => {
  const calls: string[] = [];
  const gates: Deferred[] = [];
  const { listener, settle } = listenerFor({
    onAdd: async (object) => {
      calls.push(`begin ${object.metadata!.name}`);
      await (gates[gates.length] = new Deferred()).promise;
      calls.push(`end ${object.metadata!.name}`);
    },
  });
  for (const name of ["a", "b"]) listener.push(add(name));
  await settle();
  assertEquals(calls, ["begin a"]);
  gates[0].resolve();
  await settle();
  assertEquals(calls, ["begin a", "end a", "begin b"]);
  gates[1].resolve();
  await listener.stop();
});

Deno.test("ProcessorListener: a slow handler delays only itself; notifications pile up in front of it, and their number is a metric", async () => {
  const gate = new Deferred();
  const { listener, depth, settle } = listenerFor({ onAdd: () => gate.promise as unknown as void });
  for (let i = 0; i < 3000; i++) listener.push(add(`p${i}`));
  await settle();
  assertEquals([listener.depth, depth()], [2999, 2999]);
  gate.resolve();
  await settle();
  assertEquals(depth(), 0);
});

Deno.test("ProcessorListener: a handler that throws is logged and counted; that notification is lost, and the next one is delivered without a pause", async () => {
  const seen: string[] = [];
  const { listener, world, counts, settle } = listenerFor({
    onAdd: (object) => {
      if (object.metadata!.name!.startsWith("bad")) throw new Error("oops");
      seen.push(object.metadata!.name!);
    },
  });
  const names = Array.from({ length: 1000 }, (_, i) => `bad${i}`);
  for (const name of ["a", ...names, "c"]) listener.push(add(name));
  await settle();
  assertEquals([seen, counts.failed], [["a", "c"], 1000]);
  const [line] = world.log.lines;
  assertEquals([line.severity, line.fields.key, line.fields.handler], ["error", "ns/bad0", "pods/test"]);
  assertEquals([world.clock.monotonicMs(), world.clock.pendingTimers], [0, 0]);
});

Deno.test("ProcessorListener treats a handler whose promise rejects like one that throws", async () => {
  const { listener, world, counts, settle } = listenerFor({ onAdd: () => Promise.reject(new Error("later")) });
  listener.push(add("a"));
  await settle();
  assertEquals(counts.failed, 1);
  await listener.stop();
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("ProcessorListener: it has caught up with the initial list once every notification of it that was pushed has been delivered", async () => {
  const gate = new Deferred();
  let calls = 0;
  const { listener, settle } = listenerFor({
    onAdd: () => (++calls === 2 ? gate.promise : undefined) as unknown as void,
  });
  assert(listener.hasDeliveredInitialList);
  listener.push(add("a", true));
  listener.push(add("b", true));
  listener.push(add("c", false));
  let told = false;
  void listener.whenInitialListDelivered().then(() => told = true);
  await settle();
  assertEquals([calls, listener.hasDeliveredInitialList, told], [2, false, false]);
  gate.resolve();
  await settle();
  assertEquals([calls, listener.hasDeliveredInitialList, told], [3, true, true]);
  await listener.whenInitialListDelivered();
});

Deno.test("ProcessorListener counts a notification of the initial list as delivered even if its handler threw", async () => {
  const { listener, settle } = listenerFor({
    onAdd: () => {
      throw new Error("oops");
    },
  });
  listener.push(add("a", true));
  await settle();
  assertEquals(listener.hasDeliveredInitialList, true);
  await listener.stop();
});

Deno.test("ProcessorListener: after stop the handler is not called again once its current call ends; what is pending is dropped", async () => {
  const gate = new Deferred();
  let calls = 0;
  const { listener, counts, settle } = listenerFor({ onAdd: () => (calls++, gate.promise) as unknown as void });
  for (let i = 0; i < 100; i++) listener.push(add(`p${i}`));
  await settle();
  let stopped = false;
  const stopping = listener.stop().then(() => stopped = true);
  await settle();
  assertEquals([calls, stopped, listener.depth], [1, false, 0]);
  gate.resolve();
  await stopping;
  listener.push(add("late"));
  await settle();
  assertEquals([calls, listener.depth, counts.stopped], [1, 0, 1]);
});

Deno.test("ProcessorListener: deliveries give the event loop its turn after a few milliseconds of work", async () => {
  const world = new FakeWorld();
  let nowMs = 0;
  let turns = 0;
  const clock = {
    monotonicMs: () => nowMs,
    wallMs: () => nowMs,
    setTimer: world.clock.setTimer.bind(world.clock),
    nextTurn: () => (turns++, world.clock.nextTurn()),
  };
  const perTurn: number[] = [];
  const listener = new ProcessorListener<Pod>({
    world: { clock, random: world.random, files: world.files, log: world.log },
    handler: {
      onAdd: () => {
        nowMs += 3; // each call takes 3 ms
        perTurn[turns] = (perTurn[turns] ?? 0) + 1;
      },
    },
    name: "pods/test",
    resync: new ResyncSchedule({ wantedMs: 0, checkMs: 0, nowMs: 0 }),
    metrics: { trackDepth: () => {}, handlerFailed: () => {}, stop: () => {} },
    budget: new TurnBudget(clock),
  });
  for (let i = 0; i < 9; i++) listener.push(add(`p${i}`));
  await world.clock.advance(0);
  assertEquals(perTurn, [3, 3, 3]);
});

Deno.test("ProcessorListener logs a slow call when many notifications wait behind it", async () => {
  const gate = new Deferred();
  const { listener, world, settle } = listenerFor({ onAdd: () => gate.promise as unknown as void });
  for (let i = 0; i < 1026; i++) listener.push(add(`p${i}`));
  await settle();
  await world.clock.advance(101);
  gate.resolve();
  await settle();
  const slow = world.log.lines.filter((line) => line.message === "Event handler is slow");
  assertEquals(slow.map((line) => [line.fields.pending, line.fields.tookMs]), [[1025, 101]]);
});
