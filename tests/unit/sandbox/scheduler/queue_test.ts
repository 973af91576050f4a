import { assert, assertEquals } from "@std/assert";
import fc from "../../../fast_check.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { podInfo } from "../../../../src/sandbox/scheduler/mod.ts";
import { SchedulingQueue } from "../../../../src/sandbox/scheduler/scheduling_queue.ts";
import { Slots } from "../../../../src/sandbox/scheduler/slots.ts";
import { Tallies } from "../../../../src/sandbox/scheduler/tallies.ts";

const pod = (uid: string, priority = 0) => podInfo({ metadata: { uid }, spec: { containers: [], priority } });

class QueueRig {
  readonly world = new FakeWorld();
  readonly queue = new SchedulingQueue(this.world);

  put(...pods: ReturnType<typeof pod>[]): void {
    for (const each of pods) this.queue.put(each);
  }

  pop(): string | undefined {
    return this.queue.pop()?.uid;
  }

  fail(uid: string): void {
    this.queue.giveBack(uid, { isUnschedulable: true });
  }
}

Deno.test("SchedulingQueue: pop gives the pod of the highest priority, among equals the one that came first", () => {
  const rig = new QueueRig();
  rig.put(pod("low"), pod("high", 10), pod("low2"), pod("high2", 10));
  assertEquals(Array.from({ length: 5 }, () => rig.pop()), ["high", "high2", "low", "low2", undefined]);
});

Deno.test("SchedulingQueue: a pod for which there was no node waits until something changes that may help it", async () => {
  const rig = new QueueRig();
  rig.put(pod("a"));
  rig.pop();
  rig.fail("a");
  await rig.world.clock.advance(60_000);
  assertEquals(rig.pop(), undefined);
  rig.queue.retryAll();
  assertEquals(rig.pop(), "a", "its back-off is over");
  for (const backoffMs of [2000, 4000, 8000, 10_000, 10_000]) {
    rig.fail("a");
    rig.queue.retryAll();
    await rig.world.clock.advance(backoffMs - 1);
    assertEquals(rig.pop(), undefined, `before ${backoffMs}`);
    await rig.world.clock.advance(1);
    assertEquals(rig.pop(), "a", `after ${backoffMs}`);
  }
  assertEquals(rig.world.clock.pendingTimers, 0);
});

Deno.test("SchedulingQueue retries only the pods that a change concerns", async () => {
  const rig = new QueueRig();
  rig.put(pod("a"), pod("b"));
  for (const _ of "ab") rig.fail(rig.pop()!);
  await rig.world.clock.advance(2000);
  rig.queue.retryAll(({ uid }) => uid === "b");
  assertEquals([rig.pop(), rig.pop()], ["b", undefined]);
});

Deno.test("SchedulingQueue: what changes while a pod is being tried counts too", async () => {
  const rig = new QueueRig();
  rig.put(pod("a"));
  rig.pop();
  rig.queue.retryAll();
  rig.fail("a");
  await rig.world.clock.advance(1000);
  assertEquals(rig.pop(), "a");
});

Deno.test("SchedulingQueue: a pod that is removed is not given out any more; one that changed is given out as it is now", () => {
  const rig = new QueueRig();
  rig.put(pod("a"), pod("b"));
  rig.queue.remove("a");
  const changed = podInfo({ metadata: { uid: "b", labels: { x: "y" } }, spec: { containers: [] } });
  rig.put(changed);
  assertEquals([rig.queue.pop(), rig.queue.pop()], [changed, undefined]);
});

Deno.test("SchedulingQueue wakes whoever waits, and leaves no timer when closed", async () => {
  const rig = new QueueRig();
  let woken = 0;
  const wait = () => rig.queue.whenReady().then(() => void woken++);
  const first = wait();
  rig.put(pod("a"));
  await first;
  rig.fail(rig.pop()!);
  rig.queue.retryAll();
  const second = wait();
  assertEquals(rig.world.clock.pendingTimers, 1);
  rig.queue.close();
  await second;
  assertEquals([woken, rig.world.clock.pendingTimers], [2, 0]);
});

Deno.test("Slots: no more than limit of the tasks given to Slots.run are under way; Slots.free resolves when another may begin; Slots.idle resolves when none is under way", async () => {
  const slots = new Slots(2);
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const begin = async () => {
    await slots.free();
    slots.run(async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
    });
  };
  const all = Promise.all([begin(), begin()]).then(begin).then(begin);
  for (let i = 0; i < 4; i++) {
    while (ends.length <= i) await Promise.resolve();
    ends[i]();
  }
  await all;
  await slots.idle();
  assertEquals([running, most], [0, 2]);
});

Deno.test("Tallies: a tally is what counting all pods anew would give", () => {
  const step = fc.record({ uid: fc.nat(9), node: fc.constantFrom("a", "b", "c"), app: fc.constantFrom("x", "y") });
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const places = new Map<number, readonly [string, ReturnType<typeof pod>]>();
    const tallies = new Tallies(() => places.values());
    const query = (app: string) => ({ key: app, counts: ({ labels }: ReturnType<typeof pod>) => labels.app === app });
    for (const { uid, node, app } of steps) {
      const before = places.get(uid);
      if (before) {
        places.delete(uid);
        tallies.change(before[0], before[1], -1);
      } else {
        const next = podInfo({ metadata: { uid: `${uid}`, labels: { app } }, spec: { containers: [] } });
        places.set(uid, [node, next]);
        tallies.change(node, next, 1);
      }
      for (const each of ["x", "y"]) {
        const counted = [...places.values()].filter(([, { labels }]) => labels.app === each).map(([name]) => name);
        for (const name of ["a", "b", "c"]) {
          assertEquals(tallies.of(query(each)).get(name) ?? 0, counted.filter((other) => other === name).length);
        }
        assert(![...tallies.of(query(each)).values()].includes(0));
      }
    }
  }));
});

Deno.test("Tallies: at most 256 tallies are kept; the one unused for longest goes first", () => {
  let countings = 0;
  const tallies = new Tallies(() => (countings++, []));
  const ask = (key: number) => void tallies.of({ key: `${key}`, counts: () => true });
  for (let key = 0; key < 256; key++) ask(key);
  ask(0);
  assertEquals(countings, 256);
  ask(256);
  ask(0);
  assertEquals(countings, 257, "it was used, and is kept");
  ask(1);
  assertEquals(countings, 258, "it was forgotten");
});
