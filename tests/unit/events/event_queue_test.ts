import { assertEquals } from "@std/assert";
import type { Event } from "../../../src/api/mod.ts";
import { EventQueue } from "../../../src/events/event_queue.ts";

const event = (namespace: string, reason: string): Event => ({
  metadata: { namespace },
  involvedObject: {},
  reason,
});

/** Pushes events by their names, such as `a1` for one of the namespace `a`; those that were dropped. */
function push(queue: EventQueue, ...names: string[]): (string | undefined)[] {
  return names.flatMap((name) => queue.push(event(name[0], name)) ?? []).map(({ reason }) => reason);
}

function rest(queue: EventQueue): string[] {
  const names: string[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) names.push(next.reason!);
  assertEquals(queue.length, 0);
  return names;
}

Deno.test("EventQueue: namespaces take turns, and events of a namespace stay in order", () => {
  const queue = new EventQueue(10);
  assertEquals(push(queue, "a1", "a2", "a3", "b1", "c1", "b2"), []);
  assertEquals(queue.shift()?.reason, "a1");
  assertEquals(push(queue, "d1"), []);
  assertEquals(rest(queue), ["b1", "c1", "a2", "d1", "b2", "a3"]);
});

Deno.test("EventQueue: at most `capacity` events wait, at the cost of the namespace with the most", () => {
  const queue = new EventQueue(4);
  assertEquals(push(queue, "a1", "a2", "a3", "a4", "a5"), ["a5"], "the new one, of the only namespace");
  assertEquals(push(queue, "b1", "b2"), ["a4", "a3"]);
  assertEquals(push(queue, "b3", "a6"), ["b3", "a6"], "both have as many");
  assertEquals(push(queue, "c1"), ["a2"]);
  assertEquals(queue.length, 4);
  assertEquals(rest(queue), ["a1", "b1", "c1", "b2"]);
});

Deno.test("EventQueue: a namespace all of whose events were dropped has no turn", () => {
  const queue = new EventQueue(1);
  assertEquals(push(queue, "a1", "b1"), ["a1"]);
  assertEquals(rest(queue), ["b1"]);
});

Deno.test("EventQueue is empty once cleared", () => {
  const queue = new EventQueue(2);
  push(queue, "a1", "b1");
  queue.clear();
  assertEquals([queue.length, queue.shift()], [0, undefined]);
});
