import { assertEquals } from "@std/assert";
import { NODES } from "../../../../src/api/mod.ts";
import { readyTaints } from "../../../../src/controllers/node_lifecycle/ready_taints.ts";
import { statusError } from "../status_errors.ts";
import { LifecycleRig, node } from "./lifecycle_rig.ts";

const SILENT = readyTaints("Unknown")!;

function begin() {
  const rig = new LifecycleRig();
  rig.begin(node("a"));
  return { rig, releases: rig.context.releases, cached: rig.nodes.get("a")! };
}

Deno.test("NodeReleases: one node is tainted and released in the order of the calls, never at the same time", async () => {
  const { rig, releases, cached } = begin();
  await Promise.all([releases.taint(cached, SILENT), releases.release(cached), releases.taint(cached, SILENT)]);
  assertEquals(rig.client.calls.map(({ text }) => text), [
    "get nodes a",
    "patch nodes a",
    "get nodes a",
    "get nodes a",
    "patch nodes a",
    "get nodes a",
    "patch nodes a",
  ]);
  assertEquals(rig.taints("a"), ["unreachable:NoExecute"]);
});

Deno.test("NodeReleases: a node that was being tainted when it was to be released loses that taint too, though no cache shows it yet", async () => {
  const { rig, releases, cached } = begin();
  const tainting = releases.taint(cached, SILENT);
  await releases.release(cached);
  await tainting;
  assertEquals(rig.taints("a"), []);
});

Deno.test("NodeReleases: a taint that was written and that the cache does not show is removed", async () => {
  const { rig, releases, cached } = begin();
  await releases.taint(cached, SILENT);
  rig.client.fail("patch nodes a", statusError(500, "InternalError"), { times: 1 });
  await releases.release(cached).catch(() => {});
  assertEquals(rig.taints("a"), ["unreachable:NoExecute"]);
  await releases.release(cached);
  assertEquals(rig.taints("a"), []);
});

Deno.test("NodeReleases: nothing is asked about a released node that has no such taint and was not tainted here since its last release", async () => {
  const { rig, releases, cached } = begin();
  await releases.release(cached);
  assertEquals(rig.client.calls, []);
  await releases.taint(cached, SILENT);
  await releases.release(cached);
  const calls = rig.client.calls.length;
  await releases.release(rig.client.find(NODES, "a")!);
  assertEquals(rig.client.calls.length, calls);
  await releases.taint(cached, SILENT);
  releases.forget("a");
  await releases.release(cached);
  assertEquals(rig.client.calls.length, calls + 2, "another node of that name");
});
