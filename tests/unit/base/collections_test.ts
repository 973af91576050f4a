import { assertEquals, assertRejects } from "@std/assert";
import { Deferred, Heap, LruMap, RingBuffer } from "../../../src/base/mod.ts";

Deno.test("Heap: pop returns an item that no other item in the heap compares smaller than", () => {
  const heap = new Heap<number>((a, b) => a - b);
  for (const item of [5, 3, 8, 1, 9, 1]) heap.push(item);
  assertEquals([heap.peek(), heap.length, [...heap].sort()], [1, 6, [1, 1, 3, 5, 8, 9]]);
  assertEquals(Array.from({ length: 7 }, () => heap.pop()), [1, 1, 3, 5, 8, 9, undefined]);
  assertEquals([heap.peek(), heap.length], [undefined, 0]);
});

Deno.test("Heap: push and pop take logarithmic time", () => {
  let comparisons = 0;
  const heap = new Heap<number>((a, b) => {
    comparisons++;
    return a - b;
  });
  const count = 1024;
  for (let i = count; i > 0; i--) heap.push(i);
  while (heap.length > 0) heap.pop();
  assertEquals(comparisons <= 3 * count * Math.log2(count), true, `${comparisons} comparisons`);
});

Deno.test("LruMap: get and set make an entry the most recently used", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  assertEquals(map.get("a"), 1);
  map.set("c", 3);
  assertEquals([map.has("a"), map.has("b"), map.has("c")], [true, false, true]);
  map.set("a", 4);
  map.set("d", 5);
  assertEquals([map.get("a"), map.has("c")], [4, false]);
});

Deno.test("LruMap: after set, size is at most capacity", () => {
  const map = new LruMap<number, number>(3);
  for (let i = 0; i < 10; i++) {
    map.set(i % 5, i);
    assertEquals(map.size <= 3, true);
  }
  map.delete(4);
  map.delete(4);
  assertEquals([map.size, map.get(4)], [2, undefined]);
});

Deno.test("LruMap.has does not make an entry the most recently used", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.has("a");
  map.set("c", 3);
  assertEquals(map.has("a"), false);
});

Deno.test("RingBuffer: length is the number of items pushed and not yet shifted", () => {
  const buffer = new RingBuffer<number>();
  const lengthAfter = (act: () => unknown) => (act(), buffer.length);
  const [push, shift] = [() => buffer.push(1), () => buffer.shift()];
  assertEquals([push, push, push, shift, push, shift, shift, shift, shift].map(lengthAfter), [
    1,
    2,
    3,
    2,
    3,
    2,
    1,
    0,
    0,
  ]);
});

Deno.test("RingBuffer: push never refuses and never blocks; the buffer doubles when it is full", () => {
  const buffer = new RingBuffer<number>();
  const capacities = Array.from({ length: 65 }, (_, i) => {
    buffer.push(i);
    return buffer.capacity;
  });
  assertEquals([15, 16, 31, 32, 63, 64].map((i) => capacities[i]), [16, 32, 32, 64, 64, 128]);
});

Deno.test("RingBuffer: a buffer that has grown large gives its memory back when it is empty", () => {
  const buffer = new RingBuffer<number>();
  const capacityAfter = (items: number) => {
    for (let i = 0; i < items; i++) buffer.push(i);
    for (let i = 0; i < items; i++) assertEquals(buffer.shift(), i);
    return buffer.capacity;
  };
  assertEquals([1_000, 2_000, 20].map(capacityAfter), [1024, 16, 32]);
});

Deno.test("Deferred settles from outside and tells that it has", async () => {
  const good = new Deferred<number>();
  assertEquals(good.settled, false);
  good.resolve(5);
  good.resolve(6);
  assertEquals([good.settled, await good.promise], [true, 5]);
  const bad = new Deferred();
  bad.reject(new Error("no"));
  await assertRejects(() => bad.promise, Error, "no");
  assertEquals(bad.settled, true);
});
