import { assertEquals } from "@std/assert";
import type { NodeCondition } from "../../../../src/api/mod.ts";
import { LifecycleRig, node } from "./lifecycle_rig.ts";

const [A, B] = [node("a"), node("b", { zone: "y" })];
const [ZONE_A, ZONE_B] = [":\0:z", ":\0:y"];
const WELL: NodeCondition[] = [{ type: "Ready", status: "True" }];
const ILL: NodeCondition[] = [{ type: "Ready", status: "False" }];

/** Names of nodes that have their turn now. */
async function turns({ zones }: LifecycleRig["context"]): Promise<string[]> {
  const names: string[] = [];
  for (const queue of zones.waiting) {
    await queue.run((name) => {
      names.push(name);
      return Promise.resolve("done");
    });
  }
  return names;
}

Deno.test("Zones: a zone starts with a token for one node, and starts over after it had no node that counts for a while", async () => {
  const { context } = new LifecycleRig();
  context.zones.see(A);
  for (const name of ["a", "a2"]) context.zones.enqueue(node(name), false);
  assertEquals(await turns(context), ["a"]);
  context.zones.update(new Map([[ZONE_B, WELL]]), [A, B]);
  context.zones.see(A);
  context.zones.enqueue(A, false);
  assertEquals(await turns(context), ["a"]);
});

Deno.test("Zones: a node has its turn in the queue of the zone that it is in when it is added", async () => {
  const { context } = new LifecycleRig();
  for (const each of [A, B, node("b2", { zone: "y" })]) context.zones.enqueue(each, false);
  assertEquals(await turns(context), ["a", "b"]);
  context.zones.dequeue(B);
  assertEquals(context.zones.enqueue(B, false), true);
  assertEquals(context.zones.enqueue(A, true), false, "it has had its turn, and is tainted");
  assertEquals(context.zones.enqueue(A, false), true, "its taint is gone");
});

Deno.test("Zones: a zone without nodes is forgotten, and its metrics report no unhealthy nodes there", () => {
  const { context, metrics } = new LifecycleRig();
  for (const each of [A, B]) context.zones.see(each);
  context.zones.enqueue(A, false);
  context.zones.update(new Map([[ZONE_A, ILL], [ZONE_B, WELL]]), [A, B]);
  const shown = (name: string) =>
    metrics.render().split("\n").filter((line) => line.startsWith(`node_collector_${name}{`)).map((line) =>
      line.split(" ")[1]
    );
  assertEquals([shown("zone_size"), shown("zone_health"), shown("unhealthy_nodes_in_zone")], [
    ["1", "1"],
    ["0", "100"],
    ["1", "0"],
  ]);
  context.zones.update(new Map([[ZONE_B, WELL]]), [B]);
  assertEquals([shown("zone_size"), shown("zone_health"), shown("unhealthy_nodes_in_zone")], [
    ["0", "1"],
    ["100", "100"],
    ["0", "0"],
  ]);
  assertEquals(context.zones.waiting, []);
});

Deno.test("Zones tells what the states of all zones together ask for", () => {
  const { context } = new LifecycleRig();
  const update = (a: NodeCondition[], b: NodeCondition[]) =>
    context.zones.update(new Map([[ZONE_A, a], [ZONE_B, b]]), [A, B]);
  for (const each of [A, B]) context.zones.see(each);
  assertEquals([update(WELL, WELL), update(WELL, ILL), update(ILL, ILL), update(ILL, ILL), update(WELL, ILL)], [
    "change",
    "change",
    "enter",
    "none",
    "exit",
  ]);
});

Deno.test("Zones.whenWaiting resolves when a node waits, at once where one does, and at the end", async () => {
  const { context: { zones } } = new LifecycleRig();
  const stop = new AbortController();
  const waiting = zones.whenWaiting(stop.signal);
  zones.enqueue(A, false);
  await waiting;
  await zones.whenWaiting(stop.signal);
  zones.dequeue(A);
  const ending = zones.whenWaiting(stop.signal);
  stop.abort();
  await ending;
});
