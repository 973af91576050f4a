import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { type Node, NODES, type Taint } from "../../../../src/api/mod.ts";
import { removeTaints, swapTaints } from "../../../../src/controllers/nodes/mod.ts";
import { hasTaint, taintsWith, taintsWithout } from "../../../../src/controllers/nodes/taints.ts";
import { statusError } from "../status_errors.ts";
import { RecordedClient } from "../recorded_client.ts";

const A: Taint = { key: "a", effect: "NoExecute", timeAdded: "2026-01-01T00:00:00Z" };
const B: Taint = { key: "b", effect: "NoSchedule" };

Deno.test("hasTaint goes by key and effect", () => {
  assertEquals(hasTaint([A], { key: "a", effect: "NoExecute" }), true);
  assertEquals(hasTaint([A], { key: "a", effect: "NoSchedule" }), false);
  assertEquals(hasTaint(undefined, A), false);
});

Deno.test("taintsWith replaces a taint in its place, adds others at the end, and sees where nothing changes", () => {
  assertEquals(taintsWith(undefined, [A]), [A]);
  assertEquals(taintsWith([A, B], [{ ...A, value: "x" }]), [{ ...A, value: "x" }, B]);
  assertEquals(taintsWith([B], [A]), [B, A]);
  assertEquals(taintsWith([A, B], [{ ...B, value: "" }]), undefined);
});

Deno.test("taintsWithout takes away whatever value a taint has, and sees where nothing changes", () => {
  assertEquals(taintsWithout([{ ...A, value: "x" }, B], [A]), [B]);
  assertEquals(taintsWithout([B], [A]), undefined);
  assertEquals(taintsWithout(undefined, [A]), undefined);
});

function begin(...taints: Taint[]) {
  const world = new FakeWorld();
  const client = new RecordedClient(world);
  const [node] = client.store(NODES, { metadata: { name: "n" }, spec: { taints } } as Node);
  return { world, client, node };
}

Deno.test("swapTaints adds with the present time, then removes, each with the version that was read", async () => {
  const { world, client, node } = begin(A);
  await swapTaints(node, { added: [B], removed: [A] }, { world, client });
  assertEquals(client.calls.map(({ text }) => text), ["get nodes n", "patch nodes n", "get nodes n", "patch nodes n"]);
  const timeAdded = "2026-01-01T00:00:00Z";
  const [first, second] = client.calls.filter(({ text }) => text === "patch nodes n").map(({ body }) => body as Node);
  assertEquals(first, {
    metadata: { resourceVersion: node.metadata!.resourceVersion },
    spec: { taints: [A, { ...B, timeAdded }] },
  });
  assertEquals(second.spec?.taints, [{ ...B, timeAdded }]);
  assertEquals(client.find(NODES, "n")?.spec?.taints, [{ ...B, timeAdded }]);
});

Deno.test("removeTaints asks nothing where the cached node has none of them, and writes none where it was the last", async () => {
  const { world, client, node } = begin(A);
  await removeTaints(node, [B], { world, client });
  assertEquals(client.calls, []);
  await removeTaints(node, [A], { world, client });
  assertEquals((client.calls.at(-1)!.body as Node).spec, { taints: null });
  assertEquals(client.find(NODES, "n")?.spec?.taints, undefined);
});

Deno.test("swapTaints reads again at once where the API server's cache had shown a node that was written since", async () => {
  const { client, world, node } = begin();
  client.fail("patch nodes n", statusError(409, "Conflict"), { times: 1 });
  await swapTaints(node, { added: [A], removed: [] }, { world, client });
  assertEquals(world.clock.monotonicMs(), 0);
  assertEquals(client.calls.map(({ text }) => text), ["get nodes n", "patch nodes n", "get nodes n", "patch nodes n"]);
});

Deno.test("swapTaints tries again at a conflict, five times at most", async () => {
  const { world, client, node } = begin();
  const conflict = statusError(409, "Conflict");
  client.fail("patch nodes n", conflict, { times: 4 });
  const writing = swapTaints(node, { added: [A], removed: [] }, { world, client });
  await world.clock.advance(1_000);
  await writing;
  assertEquals(client.find(NODES, "n")?.spec?.taints?.length, 1);
  client.fail("patch nodes n", conflict);
  const failing = swapTaints(node, { added: [B], removed: [] }, { world, client }).catch((error) => error);
  await world.clock.advance(1_000);
  assertEquals(await failing, conflict);
  assertEquals(client.writes.length, 10);
});
