import { assertEquals, assertThrows } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { NamespaceBatches } from "../../../../src/controllers/persistentvolumeclaim_protection/namespace_batches.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";

function setUp() {
  const queue = new WorkQueue({ world: new FakeWorld(), name: "q" });
  const begun: string[] = [];
  const batches = new NamespaceBatches(queue, (namespace) => {
    begun.push(namespace);
    return `${namespace}#${begun.length}`;
  });
  /** Hands out and ends so many keys. */
  const take = async (count: number) => {
    const keys: string[] = [];
    for (let i = 0; i < count; i++) {
      const item = await batches.get();
      if (!item) break;
      keys.push(item.key);
      batches.done(item.key);
    }
    return keys;
  };
  const add = (...keys: string[]) => keys.forEach((key) => queue.add(key));
  return { queue, batches, begun, take, add };
}

Deno.test("NamespaceBatches: Keys of one namespace that wait at the same time are handed out one after the other", async () => {
  const { add, take, begun } = setUp();
  add("a/1", "b/1", "a/2", "c/1", "b/2");
  assertEquals(await take(5), ["a/1", "a/2", "b/1", "b/2", "c/1"]);
  assertEquals(begun, ["a", "b", "c"]);
});

Deno.test("NamespaceBatches: A key that comes once its namespace's batch has begun is in a later batch", async () => {
  const { add, take, begun, batches } = setUp();
  add("a/1", "a/2");
  const first = await batches.get();
  add("a/3", first!.key);
  batches.done(first!.key);
  assertEquals(await take(3), ["a/2", "a/3", "a/1"]);
  assertEquals(begun, ["a", "a"]);
});

Deno.test("NamespaceBatches: Namespaces take turns in the order in which their first keys came", async () => {
  const { add, take, begun } = setUp();
  add("b/1", "a/1");
  assertEquals(await take(1), ["b/1"]);
  add("b/2", "c/1", "a/2");
  assertEquals(await take(4), ["a/1", "a/2", "b/2", "c/1"]);
  assertEquals(begun, ["b", "a", "b", "c"]);
});

Deno.test("NamespaceBatches: Each batch begins with a call of `begin`", async () => {
  const { add, take, batches } = setUp();
  assertThrows(() => batches.current, Error, 'Queue "q" has no batch yet');
  add("a/1", "a/2", "b/1");
  const seen: string[] = [];
  for (let i = 0; i < 3; i++) {
    await take(1);
    seen.push(batches.current);
  }
  assertEquals(seen, ["a#1", "a#1", "b#2"]);
});

Deno.test("NamespaceBatches: At most 1,000 keys are held", async () => {
  const { add, take, queue, begun } = setUp();
  add(...Array.from({ length: 2500 }, (_, i) => `a/${i}`));
  await take(1);
  assertEquals(queue.length, 1500);
  assertEquals((await take(2499)).at(-1), "a/2499");
  assertEquals([queue.length, begun.length], [0, 3]);
});

Deno.test("NamespaceBatches: Once the queue is shut down and empty, and all batches are over, there is nothing more", async () => {
  const { add, take, batches } = setUp();
  add("a/1", "b/1");
  batches.shutDown();
  assertEquals(await take(9), ["a/1", "b/1"]);
  assertEquals(await batches.get(), undefined);
});

Deno.test("NamespaceBatches passes retries on to its queue", async () => {
  const { queue, batches, add, take } = setUp();
  add("a/1");
  await take(1);
  batches.addRateLimited("a/1");
  assertEquals(queue.numRequeues("a/1"), 1);
  batches.forget("a/1");
  assertEquals([queue.numRequeues("a/1"), batches.name], [0, "q"]);
  queue.shutDown();
});
