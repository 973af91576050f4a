import { assertEquals, assertThrows } from "@std/assert";
import { FakeWorld, settle } from "../../../src/base/mod.ts";
import { BaseQueue, MAX_CAUSES } from "../../../src/workqueue/mod.ts";

function newQueue(): BaseQueue {
  return new BaseQueue({ world: new FakeWorld() });
}

/** The key that `get` gives, or a word for why there is none. */
async function next(queue: BaseQueue): Promise<string> {
  return (await queue.get())?.key ?? "(shut down)";
}

/** What became of a promise so far. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = "pending";
  promise.then(() => state = "resolved");
  await settle();
  return state;
}

Deno.test("BaseQueue: adding a key that waits changes nothing but its causes: many adds while it waits are one run", async () => {
  const queue = newQueue();
  queue.add("a");
  queue.add("a");
  assertEquals(queue.length, 1);
  assertEquals(await next(queue), "a");
  queue.done("a");
  assertEquals(queue.length, 0);
});

Deno.test("BaseQueue: length counts the keys that are queued, not those that are processed", async () => {
  const queue = newQueue();
  for (const key of ["a", "b", "c"]) queue.add(key);
  await next(queue);
  assertEquals(queue.length, 2);
  queue.add("a");
  assertEquals(queue.length, 2);
  queue.done("a");
  assertEquals(queue.length, 3);
});

Deno.test("BaseQueue: several adds in a row are one run even when a getter already waits", async () => {
  const queue = newQueue();
  const got = queue.get();
  for (const cause of ["x", "y", "z"]) queue.add("a", cause);
  assertEquals((await got)?.causes.texts, ["x", "y", "z"]);
  queue.done("a");
  assertEquals(queue.length, 0);
});

Deno.test("BaseQueue: a key is never handed out again before done was called for it", async () => {
  const queue = newQueue();
  queue.add("a");
  await next(queue);
  queue.add("a");
  queue.add("a");
  const second = next(queue);
  assertEquals(await stateOf(second), "pending");
  queue.done("a");
  assertEquals(await second, "a");
  queue.done("a");
  assertEquals(queue.length, 0);
});

Deno.test("BaseQueue: adding a key while it is processed gives exactly one more run, queued at its done, behind the others", async () => {
  const queue = newQueue();
  queue.add("a");
  await next(queue);
  queue.add("a");
  queue.add("b");
  assertEquals(queue.length, 1);
  queue.done("a");
  assertEquals([await next(queue), await next(queue)], ["b", "a"]);
});

Deno.test("BaseQueue: keys are handed out in the order in which they were queued", async () => {
  const queue = newQueue();
  for (const key of ["c", "a", "b", "a"]) queue.add(key);
  assertEquals([await next(queue), await next(queue), await next(queue)], ["c", "a", "b"]);
});

Deno.test("BaseQueue: after shutDown nothing is added, what is queued is still handed out, then get gives undefined", async () => {
  const queue = newQueue();
  queue.add("a");
  queue.add("b");
  queue.shutDown();
  queue.add("c");
  assertEquals([await next(queue), await next(queue), await next(queue)], ["a", "b", "(shut down)"]);
});

Deno.test("BaseQueue.shutDown releases every waiting getter and ignores later adds", async () => {
  const queue = newQueue();
  const getters = [next(queue), next(queue), next(queue)];
  queue.shutDown();
  queue.add("a");
  assertEquals(await Promise.all(getters), Array(3).fill("(shut down)"));
  assertEquals(queue.length, 0);
});

Deno.test("BaseQueue.shutDown keeps a key that was added while processed", async () => {
  const queue = newQueue();
  queue.add("a");
  await next(queue);
  queue.add("a");
  queue.shutDown();
  queue.done("a");
  assertEquals([await next(queue), await next(queue)], ["a", "(shut down)"]);
});

Deno.test("BaseQueue.shutDownWithDrain waits until what was handed out is done", async () => {
  const queue = newQueue();
  queue.add("a");
  await next(queue);
  const drained = queue.shutDownWithDrain();
  assertEquals(await stateOf(drained), "pending");
  queue.done("a");
  assertEquals(await stateOf(drained), "resolved");
});

Deno.test("BaseQueue: shutDownWithDrain also waits until all that was handed out or queued is done", async () => {
  const queue = newQueue();
  queue.add("a");
  queue.add("b");
  await next(queue);
  queue.add("a");
  const drained = queue.shutDownWithDrain();
  queue.done("a");
  assertEquals([await next(queue), await next(queue)], ["b", "a"]);
  queue.done("b");
  assertEquals(await stateOf(drained), "pending");
  queue.done("a");
  assertEquals(await stateOf(drained), "resolved");
  assertEquals(await next(queue), "(shut down)");
});

Deno.test("BaseQueue.shutDownWithDrain resolves at once when there is nothing to drain", async () => {
  await newQueue().shutDownWithDrain();
});

Deno.test("BaseQueue: a shutDown releases a shutDownWithDrain", async () => {
  const queue = newQueue();
  queue.add("a");
  await next(queue);
  const drained = queue.shutDownWithDrain();
  assertEquals(await stateOf(drained), "pending");
  queue.shutDown();
  assertEquals(await stateOf(drained), "resolved");
  assertEquals(await stateOf(queue.shutDownWithDrain()), "pending", "a later drain waits again");
  queue.done("a");
});

Deno.test("BaseQueue: the causes of all adds since a key was last handed out come with it, distinct and bounded", async () => {
  const queue = newQueue();
  queue.add("a", "pod added");
  queue.add("a");
  queue.add("a", "pod updated");
  queue.add("a", "pod added");
  const first = await queue.get();
  assertEquals([first?.key, first?.causes.texts, first?.causes.dropped], ["a", ["pod added", "pod updated"], 0]);
  for (let i = 0; i < MAX_CAUSES + 3; i++) queue.add("a", `cause ${i}`);
  queue.done("a");
  const item = await queue.get();
  assertEquals(item?.causes.texts, Array.from({ length: MAX_CAUSES }, (_, i) => `cause ${i}`));
  assertEquals(item?.causes.dropped, 3);
});

Deno.test("BaseQueue.done throws for a key that was not handed out", async () => {
  const queue = newQueue();
  queue.add("a");
  assertThrows(() => queue.done("a"), Error, 'Cannot end the processing of "a"');
  await next(queue);
  queue.done("a");
  assertThrows(() => queue.done("a"), Error, "done was called twice");
});

Deno.test("BaseQueue: keys that are objects are told apart by identity, numbers by value", async () => {
  const queue = new BaseQueue<number | object>({ world: new FakeWorld() });
  queue.add({});
  queue.add({});
  queue.add(7);
  queue.add(7);
  assertEquals(queue.length, 3);
  await queue.get();
});
