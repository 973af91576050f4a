import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { DelayingQueue } from "../../../src/workqueue/mod.ts";

function setUp() {
  const world = new FakeWorld();
  const metrics = new MetricsRegistry();
  const queue = new DelayingQueue({ world, name: "test", metrics });
  const runs: string[] = [];
  const worker = (async () => {
    for (let item = await queue.get(); item; item = await queue.get()) {
      runs.push(`${item.key}@${world.clock.monotonicMs()}`);
      queue.done(item.key);
    }
  })();
  return { world, metrics, queue, runs, worker };
}

Deno.test("DelayingQueue: a delayed key is added when its time has come, in order of the times, and never earlier", async () => {
  const { world, queue, runs, worker } = setUp();
  queue.addAfter("c", 70);
  queue.addAfter("a", 30);
  queue.addAfter("b", 30);
  await world.clock.advance(29);
  assertEquals(runs, []);
  await world.clock.advance(100);
  assertEquals(runs, ["a@30", "b@30", "c@70"]);
  queue.shutDown();
  await worker;
});

Deno.test("DelayingQueue: a key that waits already keeps the earlier of both times, and waits only once", async () => {
  for (const [first, second] of [[50, 30], [30, 60]]) {
    const { world, queue, runs, worker } = setUp();
    queue.addAfter("a", first);
    queue.addAfter("a", second);
    assertEquals(queue.delayed, 1);
    await world.clock.advance(1000);
    assertEquals(runs, ["a@30"]);
    queue.shutDown();
    await worker;
  }
});

Deno.test("DelayingQueue: an add does not cancel a delay", async () => {
  const { world, queue, runs, worker } = setUp();
  queue.addAfter("a", 50);
  await world.clock.advance(10);
  queue.add("a");
  await world.clock.advance(1000);
  assertEquals(runs, ["a@10", "a@50"]);
  queue.shutDown();
  await worker;
});

Deno.test("DelayingQueue: a delay of zero or less adds at once and counts as a retry", async () => {
  const { world, metrics, queue, runs, worker } = setUp();
  queue.addAfter("a", 0);
  queue.addAfter("b", -5);
  await world.clock.advance(0);
  assertEquals(runs, ["a@0", "b@0"]);
  assertEquals(metrics.render().match(/workqueue_retries_total\{name="test"\} (\d+)/)?.[1], "2");
  queue.shutDown();
  await worker;
});

Deno.test("DelayingQueue: delayed keys are dropped at shutdown", async () => {
  const { world, queue, runs, worker } = setUp();
  queue.addAfter("a", 10);
  queue.shutDown();
  queue.addAfter("b", 10);
  assertEquals([queue.delayed, world.clock.pendingTimers], [0, 0]);
  await world.clock.advance(1000);
  assertEquals(runs, []);
  await worker;
});

Deno.test("DelayingQueue: one timer runs, for the key that is due first; none when nothing waits", async () => {
  const { world, queue, worker } = setUp();
  assertEquals(world.clock.pendingTimers, 0);
  for (let i = 0; i < 100; i++) queue.addAfter(`${i}`, 5000 - i);
  assertEquals([world.clock.pendingTimers, world.clock.nextTimerInMs], [1, 4901]);
  await world.clock.advance(5000);
  assertEquals(world.clock.pendingTimers, 0);
  queue.addAfter("far", 3_600_000);
  assertEquals(world.clock.nextTimerInMs, 10_000, "looks again after ten seconds at most");
  queue.shutDown();
  await worker;
});

Deno.test("DelayingQueue: ever earlier times of one key leave no pile of dead entries behind", async () => {
  const { world, queue, runs, worker } = setUp();
  for (let ms = 5000; ms > 0; ms--) queue.addAfter("a", ms, `cause ${ms % 3}`);
  assertEquals(queue.delayed, 1);
  await world.clock.advance(10_000);
  assertEquals(runs, ["a@1"]);
  queue.shutDown();
  await worker;
});

Deno.test("DelayingQueue: the causes of a delayed key come with it", async () => {
  const world = new FakeWorld();
  const queue = new DelayingQueue({ world });
  queue.addAfter("a", 50, "late");
  queue.addAfter("a", 30, "early");
  queue.addAfter("a", 90, "last");
  await world.clock.advance(30);
  assertEquals((await queue.get())?.causes.texts, ["late", "early", "last"]);
});

Deno.test("DelayingQueue: a cause that is Due later than its key is added does not count", async () => {
  const world = new FakeWorld();
  const queue = new DelayingQueue({ world });
  const causesAfter = async (ms: number) => {
    await world.clock.advance(ms);
    const item = await queue.get();
    queue.done("a");
    return item?.causes.texts;
  };
  queue.addAfter("a", 600_000, { due: "deadline passed" });
  queue.addAfter("a", 5, "retry: no");
  assertEquals(await causesAfter(5), ["retry: no"]);
  queue.addAfter("a", 100, { due: "deadline passed" });
  queue.addAfter("a", 500, "a fact");
  queue.addAfter("a", 900, { due: "other deadline passed" });
  assertEquals(await causesAfter(100), ["a fact", "deadline passed"], "what is true is named, whoever woke the key");
  queue.addAfter("a", 0, { due: "no time left" });
  assertEquals(await causesAfter(0), ["no time left"]);
});

Deno.test("DelayingQueue: a key that is withdrawn waits no more; one that was added already stays added", async () => {
  const { world, queue, runs, worker } = setUp();
  queue.addAfter("a", 50);
  queue.addAfter("b", 60);
  queue.withdraw("a");
  queue.withdraw("never added");
  assertEquals(queue.delayed, 1);
  queue.addAfter("a", 80);
  queue.add("c");
  queue.withdraw("c");
  await world.clock.advance(70);
  assertEquals(runs, ["c@0", "b@60"]);
  queue.withdraw("a");
  assertEquals([queue.delayed, world.clock.pendingTimers], [0, 0]);
  await world.clock.advance(1000);
  assertEquals(runs, ["c@0", "b@60"]);
  queue.shutDown();
  await worker;
});
