import { assert, assertEquals } from "@std/assert";
import fc from "../../../fast_check.ts";
import { FakeClock, TurnBudget } from "../../../../src/base/mod.ts";
import { REPLICASETS } from "../../../../src/api/mod.ts";
import { isInCircle } from "../../../../src/controllers/garbage_collector/circle.ts";
import { GraphNode, type NodeView } from "../../../../src/controllers/garbage_collector/graph.ts";
import { BusyClock } from "../../base/busy_clock.ts";
import { FOREGROUND, GcHarness, object, objectsOn, observed, ref } from "./harness.ts";

/** A node whose only interest is what it waits for first. */
class Waiting extends GraphNode {
  #first: Waiting | undefined;
  reads = 0;

  constructor(name: string) {
    super({ apiVersion: "v1", kind: "ConfigMap", name, uid: name, namespace: "a" });
  }

  override get firstBlocker(): Waiting | undefined {
    this.reads++;
    return this.#first;
  }

  waitFirstFor(first: Waiting | undefined): void {
    this.#first = first;
  }
}

/** Nodes of which each waits first for the one of that index, if any. */
function nodesWaitingFor(firsts: readonly (number | undefined)[]): Waiting[] {
  const nodes = firsts.map((_, i) => new Waiting(`n${i}`));
  for (const [i, first] of firsts.entries()) nodes[i].waitFirstFor(first === undefined ? undefined : nodes[first]);
  return nodes;
}

const ENDLESS = () => new TurnBudget(new FakeClock());

Deno.test("isInCircle: time is linear in the length of the way, with turns of the event loop in between: it finds what a walk with a memory finds", async () => {
  const graphs = fc.integer({ min: 1, max: 40 }).chain((size) =>
    fc.array(fc.option(fc.nat(size - 1), { nil: undefined, freq: 8 }), { minLength: size, maxLength: size })
  );
  await fc.assert(fc.asyncProperty(graphs, async (firsts) => {
    const nodes = nodesWaitingFor(firsts);
    const seen = new Set<NodeView>();
    let at: Waiting | undefined = nodes[0].firstBlocker;
    for (; at && !seen.has(at); at = at.firstBlocker) seen.add(at);
    for (const node of nodes) node.reads = 0;
    assertEquals(await isInCircle(nodes[0], ENDLESS()), seen.has(nodes[0]));
    const reads = nodes.reduce((sum, node) => sum + node.reads, 0);
    assert(reads <= 4 * nodes.length + 4, `${reads} reads`);
  }));
});

Deno.test("isInCircle takes turns of the event loop on a long way; so of attemptToDelete: however large the graph is, work on one node does not keep others from their turn", async () => {
  const clock = new BusyClock();
  const chain = nodesWaitingFor(Array.from({ length: 20_000 }, (_, i) => i < 19_999 ? i + 1 : undefined));
  assertEquals(await isInCircle(chain[0], new TurnBudget(clock)), false);
  assert(clock.turns > 50, `${clock.turns} turns`);
  const circle = nodesWaitingFor(Array.from({ length: 20_000 }, (_, i) => (i + 1) % 20_000));
  assertEquals(await isInCircle(circle[0], new TurnBudget(clock)), true);
});

Deno.test("isInCircle: a circle that is found existed as a whole at one time, also where the graph changed during the search", async () => {
  const nodes = nodesWaitingFor(Array.from({ length: 2000 }, (_, i) => i < 1999 ? i + 1 : undefined));
  // Once the search has passed the beginning, that is opened, and the end is closed.
  const onTurn = () => {
    nodes[1].waitFirstFor(undefined);
    nodes[1999].waitFirstFor(nodes[0]);
  };
  const found = await isInCircle(nodes[0], new TurnBudget(new BusyClock({ onTurn })));
  assertEquals(found, false);
});

Deno.test("attemptToDelete collects objects that are each owned by all earlier ones in a number of requests linear in theirs", async () => {
  const requests = async (count: number) => {
    const gc = new GcHarness();
    const owners = Array.from({ length: count }, (_, i) => ref(REPLICASETS, `c${i}`, { blockOwnerDeletion: true }));
    gc.client.onChange = (change) => {
      if (change.isGone) gc.process(observed(change));
    };
    for (let i = 0; i < count; i++) {
      const ownerReferences = owners.slice(0, i);
      gc.create(REPLICASETS, object(REPLICASETS, `c${i}`, { ...FOREGROUND, ownerReferences }));
    }
    await gc.drain();
    assertEquals([objectsOn(gc.client), gc.errors], [[], []]);
    return gc.client.calls.length;
  };
  const [few, many] = [await requests(40), await requests(160)];
  assert(many <= 5 * few, `${few} requests for 40, ${many} for 160`);
});
