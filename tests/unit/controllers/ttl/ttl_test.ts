import { assertEquals } from "@std/assert";
import { FakeWorld, MemoryLogger } from "../../../../src/base/mod.ts";
import { type Node, NODES, type Resource } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import type { Controller } from "../../../../src/controllers/mod.ts";
import { TTL_CONTROLLER } from "../../../../src/controllers/ttl/mod.ts";
import { fakeContext } from "../context.ts";
import { statusError } from "../status_errors.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";

const ANNOTATION = "node.alpha.kubernetes.io/ttl";

function node(name: string, ttl?: string): Node {
  return { metadata: { name, ...ttl === undefined ? {} : { annotations: { [ANNOTATION]: ttl } } } };
}

function nodes(count: number, ttl?: string): Node[] {
  return Array.from({ length: count }, (_, i) => node(`n${i}`, ttl));
}

/** The controller on a fake informer, with what it sends. */
function setUp(objects: readonly Node[] = []) {
  const world = new FakeWorld();
  const sent: string[] = [];
  const failures: unknown[] = [];
  const client = {
    patchMetadata: (
      resource: Resource,
      { name }: { name: string },
      { type, body }: { type: string; body: unknown },
    ) => {
      sent.push(`${type} ${resource.plural} ${name} ${JSON.stringify(body)}`);
      return failures.length > 0 ? Promise.reject(failures.shift()) : Promise.resolve({});
    },
  };
  const informer = new FakeInformer<Node>({ objects });
  const context = fakeContext({ world, client, informers: [[NODES, informer]] });
  const controller = TTL_CONTROLLER.build(context, {}) as Controller;
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  return { world, informer, sent, failures, end };
}

const patch = (name: string, seconds: string) =>
  `strategic nodes ${name} {"metadata":{"annotations":{"${ANNOTATION}":"${seconds}"}}}`;

const CASES: readonly (readonly [title: string, Node[], string[]])[] = [
  ["says 0 where nothing is said", [node("a")], [patch("a", "0")]],
  ["leaves a node alone that says the same", [node("a", "0")], []],
  ["leaves a node alone that says the same in other digits", [node("a", "+00")], []],
  ["replaces another number", [node("a", "60")], [patch("a", "0")]],
  ["replaces what is no number", [node("a", "abc")], [patch("a", "0")]],
  ["replaces a number beyond 64 bits", [node("a", "9".repeat(30))], [patch("a", "0")]],
  ["replaces an empty text", [node("a", "")], [patch("a", "0")]],
];

for (const [title, objects, expected] of CASES) {
  Deno.test(`TtlController ${title}`, async () => {
    const { world, sent, end } = setUp(objects);
    await world.clock.advance(1);
    assertEquals(sent, expected);
    await end();
  });
}

Deno.test("TtlController says what is right for all nodes once their number is known", async () => {
  const { world, sent, end } = setUp([...nodes(101), node("x", "15")]);
  await world.clock.advance(100);
  assertEquals([sent.length, sent[0]], [101, patch("n0", "15")]);
  await end();
});

Deno.test("TtlController tells other nodes of a new size when they change, and not before", async () => {
  const { world, informer, sent, end } = setUp(nodes(100, "0"));
  await world.clock.advance(1);
  informer.add(node("x"));
  await world.clock.advance(60_000);
  assertEquals(sent, [patch("x", "15")]);
  informer.update(node("n3", "0"));
  await world.clock.advance(1);
  assertEquals(sent, [patch("x", "15"), patch("n3", "15")]);
  await end();
});

Deno.test("TtlController counts deletions, seen or missed, and writes nothing for what is gone", async () => {
  const { world, informer, sent, end } = setUp(nodes(101, "15"));
  await world.clock.advance(1);
  for (const { metadata } of nodes(11)) informer.delete(node(metadata!.name!));
  informer.update(node("n50", "15"));
  await world.clock.advance(1);
  assertEquals(sent, []);
  informer.delete(new DeletedFinalStateUnknown<Node>("n11", undefined));
  informer.update(node("n50", "15"));
  await world.clock.advance(1);
  assertEquals(sent, [patch("n50", "0")]);
  await end();
});

Deno.test("TtlController tries a failed patch again, and lets go of a node that is gone meanwhile", async () => {
  const { world, informer, sent, failures, end } = setUp();
  failures.push(statusError(500, "InternalError"), statusError(404, "NotFound"));
  informer.add(node("a"));
  await world.clock.advance(5);
  assertEquals(sent.length, 2);
  informer.delete(node("a"));
  await world.clock.advance(60_000);
  assertEquals(sent.length, 2);
  await end();
});

Deno.test("TtlController does not write a node's text of any length into the log", async () => {
  const { world, end } = setUp([node("a", "x".repeat(100_000))]);
  await world.clock.advance(1);
  const log = world.log as MemoryLogger;
  assertEquals(log.lines.every(({ fields }) => JSON.stringify(fields).length < 1000), true);
  await end();
});
