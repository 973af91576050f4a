import { assertEquals, assertThrows } from "@std/assert";
import { FakeWorld, settle } from "../../../src/base/mod.ts";
import { ItemExponentialLimiter, LOW_PRIORITY, PriorityQueue } from "../../../src/workqueue/mod.ts";

function setUp() {
  const world = new FakeWorld();
  const queue = new PriorityQueue({ world, limiter: new ItemExponentialLimiter({ baseMs: 100, maxMs: 1000 }) });
  return { world, queue };
}

/** All that is ready, in the order in which it is handed out. */
async function drain(queue: PriorityQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.length > 0) {
    const { key } = (await queue.get())!;
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

Deno.test("PriorityQueue: of the ready keys the one with the highest priority is handed out, of several the one that was ready first", async () => {
  const { queue } = setUp();
  queue.addWithOptions({ priority: LOW_PRIORITY }, "a", "b");
  queue.add("c");
  queue.addWithOptions({ priority: 7 }, "d");
  queue.add("e");
  assertEquals(await drain(queue), ["d", "c", "e", "a", "b"]);
});

Deno.test("PriorityQueue: a key is queued once: adding it again keeps the higher priority", async () => {
  const { queue } = setUp();
  queue.add("a");
  queue.add("b");
  queue.addWithOptions({ priority: 10 }, "a");
  queue.addWithOptions({ priority: -10 }, "a");
  assertEquals((await queue.get())?.priority, 10);
  assertEquals(await drain(queue), ["b"]);
});

Deno.test("PriorityQueue: raising a key's priority puts it behind the others of its new priority", async () => {
  const { queue } = setUp();
  queue.addWithOptions({ priority: LOW_PRIORITY }, "a");
  queue.add("b");
  queue.add("c");
  queue.add("a");
  assertEquals(queue.length, 3);
  assertEquals(await drain(queue), ["b", "c", "a"]);
});

Deno.test("PriorityQueue keeps the earlier time of a key added again, and no delay on either side means now", async () => {
  const { world, queue } = setUp();
  queue.addAfter("a", 3_600_000);
  queue.addAfter("b", 50);
  queue.addAfter("b", 90);
  assertEquals(queue.length, 0);
  queue.add("a");
  assertEquals(queue.length, 1);
  await world.clock.advance(49);
  assertEquals(queue.length, 1);
  await world.clock.advance(1);
  queue.addAfter("a", 60);
  assertEquals(await drain(queue), ["a", "b"]);
  await world.clock.advance(10_000);
  assertEquals([queue.length, world.clock.pendingTimers], [0, 0]);
});

Deno.test("PriorityQueue puts a key whose time has come behind those that are ready", async () => {
  const { world, queue } = setUp();
  queue.addAfter("a", 10);
  queue.add("b");
  await world.clock.advance(10);
  assertEquals(await drain(queue), ["b", "a"]);
});

Deno.test("PriorityQueue: a key that is processed can be queued again, counts in length, and is handed out only after its done", async () => {
  const { queue } = setUp();
  queue.addWithOptions({ priority: 5 }, "a");
  await queue.get();
  queue.addWithOptions({ priority: 5 }, "a");
  queue.add("b");
  assertEquals(queue.length, 2);
  assertEquals((await queue.get())?.key, "b");
  const again = queue.get();
  let got = false;
  again.then(() => got = true);
  await settle();
  assertEquals(got, false);
  queue.done("a");
  assertEquals((await again)?.key, "a");
});

Deno.test("PriorityQueue.addWithOptions takes the limiter's delay if there is no other or a longer one", async () => {
  const { world, queue } = setUp();
  queue.addWithOptions({ rateLimited: true }, "limited"); // 100 ms
  queue.addWithOptions({ rateLimited: true, afterMs: 30 }, "sooner");
  queue.addWithOptions({ rateLimited: true, afterMs: 500 }, "cut"); // 100 ms
  await world.clock.advance(30);
  assertEquals(await drain(queue), ["sooner"]);
  await world.clock.advance(70);
  assertEquals(await drain(queue), ["limited", "cut"]);
  assertEquals(queue.numRequeues("cut"), 1);
  queue.forget("cut");
  assertEquals(queue.numRequeues("cut"), 0);
});

Deno.test("PriorityQueue.shutDown releases all getters at once and drops what is queued", async () => {
  const { world, queue } = setUp();
  const getters = [queue.get(), queue.get()];
  queue.shutDown();
  assertEquals(await Promise.all(getters), [undefined, undefined]);

  const other = setUp().queue;
  other.add("a");
  other.addAfter("b", 10);
  await other.shutDownWithDrain();
  other.add("c");
  assertEquals([other.length, await other.get()], [0, undefined]);
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("PriorityQueue hands out the causes of all adds", async () => {
  const { queue } = setUp();
  queue.addAfter("a", 100, "later");
  queue.add("a", "now");
  queue.addWithOptions({ priority: 3, cause: "urgent" }, "a");
  const item = await queue.get();
  assertEquals([item?.key, item?.priority, item?.causes.texts], ["a", 3, ["later", "now", "urgent"]]);
});

Deno.test("PriorityQueue.done throws for a key that was not handed out", () => {
  const { queue } = setUp();
  queue.add("a");
  assertThrows(() => queue.done("a"), Error, 'Cannot end the processing of "a"');
});

Deno.test("PriorityQueue: what is due later than a key is handed out is no cause of it", async () => {
  const { world, queue } = setUp();
  queue.addAfter("a", 600_000, { due: "deadline passed" });
  queue.add("a", "changed");
  assertEquals((await queue.get())?.causes.texts, ["changed"]);
  queue.done("a");
  queue.addAfter("a", 100, { due: "deadline passed" });
  await world.clock.advance(100);
  assertEquals((await queue.get())?.causes.texts, ["deadline passed"]);
});
