import { assertEquals } from "@std/assert";
import type { ControllerRevision, Pod } from "../../../../src/api/mod.ts";
import { StaleCacheError } from "../../../../src/cache/mod.ts";
import {
  daemonSetHandler,
  nodeHandler,
  podHandler,
  revisionHandler,
} from "../../../../src/controllers/daemonset/handlers.ts";
import { matters, syncNodeUpdate } from "../../../../src/controllers/daemonset/node_updates.ts";
import { ago } from "../fake_times.ts";
import { daemonSet, DaemonSetHarness, node, pod, revision } from "./fixtures.ts";
import { takeAll } from "../../workqueue/queue_contents.ts";

async function drain(queue: DaemonSetHarness["queue"]): Promise<string[]> {
  return (await takeAll(queue)).map(({ key, causes }) => {
    const whats = new Set(causes.map((text) => text.replace(/ at \d+$/, "")));
    return `${key}: ${[...whats].join(", ")}`;
  });
}

const at = <T extends Pod | ControllerRevision>(object: T, resourceVersion: string): T => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
});

Deno.test("a pod that comes or goes is what the expectations wait for, and queues its DaemonSet", async () => {
  const harness = new DaemonSetHarness();
  const handler = podHandler(harness.context);
  harness.expectations.set("a/d", { add: 1, del: 2 });
  handler.onAdd?.(pod("p", "n"), false);
  assertEquals(harness.expectations.pending("a/d"), { add: 0, del: 2 });
  const going = pod("p", "n", { deletionTimestamp: ago(0) });
  handler.onUpdate?.(at(pod("p", "n"), "1"), at(going, "2"));
  handler.onDelete?.(going);
  assertEquals(harness.expectations.pending("a/d"), { add: 0, del: 0 });
  assertEquals(await drain(harness.queue), ["a/d: pod/a/p added, pod/a/p deleted"]);
});

Deno.test("a pod that is first seen while it is going counts as deleted", () => {
  const harness = new DaemonSetHarness();
  harness.expectations.set("a/d", { add: 1, del: 1 });
  podHandler(harness.context).onAdd?.(pod("p", "n", { deletionTimestamp: ago(0) }), false);
  assertEquals(harness.expectations.pending("a/d"), { add: 1, del: 0 });
});

Deno.test("a pod that becomes ready queues its DaemonSet again when it will be available, and a second later", async () => {
  const harness = new DaemonSetHarness({ set: daemonSet({ minReadySeconds: 10 }) });
  podHandler(harness.context).onUpdate?.(at(pod("p", "n", { readyFor: null }), "1"), at(pod("p", "n"), "2"));
  assertEquals((await drain(harness.queue)).length, 1);
  await harness.world.clock.advance(10_999);
  assertEquals(harness.queue.length, 0);
  await harness.world.clock.advance(1);
  assertEquals(harness.queue.length, 1);
});

Deno.test("a pod that is ready as before, or not, or whose DaemonSet does not wait for it, queues that once", async () => {
  const unready = pod("p", "n", { readyFor: null });
  const rows: [minReadySeconds: number, before: Pod, after: Pod][] = [
    [0, unready, pod("p", "n")],
    [10, pod("p", "n"), pod("p", "n")],
    [10, pod("p", "n"), unready],
    [10, unready, unready],
  ];
  for (const [minReadySeconds, before, after] of rows) {
    const harness = new DaemonSetHarness({ set: daemonSet({ minReadySeconds }) });
    podHandler(harness.context).onUpdate?.(at(before, "1"), at(after, "2"));
    assertEquals((await drain(harness.queue)).length, 1);
    await harness.world.clock.advance(60_000);
    assertEquals(harness.queue.length, 0);
  }
});

Deno.test("an orphan queues who could want it, when it comes or its labels change", async () => {
  const harness = new DaemonSetHarness();
  const handler = podHandler(harness.context);
  const orphan = pod("p", "n", { isOwned: false });
  handler.onAdd?.(orphan, false);
  assertEquals(await drain(harness.queue), ["a/d: pod/a/p added"]);
  handler.onUpdate?.(at(orphan, "1"), at(orphan, "2"));
  assertEquals(await drain(harness.queue), []);
  const labels = { app: "d", more: "x" };
  handler.onUpdate?.(at(orphan, "1"), at(pod("p", "n", { isOwned: false, labels }), "2"));
  assertEquals(await drain(harness.queue), ["a/d: pod/a/p updated"]);
  handler.onUpdate?.(at(pod("p", "n"), "1"), at(orphan, "2"));
  assertEquals(
    await drain(harness.queue),
    ["a/d: pod/a/p updated"],
    "released: its former owner, and who could want it",
  );
});

Deno.test("a replay of the cache queues nothing", async () => {
  const harness = new DaemonSetHarness();
  podHandler(harness.context).onUpdate?.(at(pod("p", "n"), "1"), at(pod("p", "n"), "1"));
  revisionHandler(harness.context).onUpdate?.(at(revision("i:1", 1), "1"), at(revision("i:1", 1), "1"));
  assertEquals(await drain(harness.queue), []);
});

Deno.test("a revision queues its DaemonSet when it changes or goes, not when it comes", async () => {
  const harness = new DaemonSetHarness();
  const handler = revisionHandler(harness.context);
  handler.onAdd?.(revision("i:1", 1), false);
  assertEquals(await drain(harness.queue), []);
  handler.onUpdate?.(at(revision("i:1", 1), "1"), at(revision("i:1", 2), "2"));
  handler.onDelete?.(revision("i:1", 1));
  assertEquals((await drain(harness.queue)).length, 1);
  handler.onAdd?.(revision("i:1", 1, { ownerReferences: undefined }), false);
  assertEquals((await drain(harness.queue)).length, 1);
});

Deno.test("a DaemonSet that goes, or is replaced, takes its expectations along", async () => {
  const harness = new DaemonSetHarness();
  const handler = daemonSetHandler(harness.context);
  harness.expectations.set("a/d", { add: 1 });
  handler.onUpdate?.(daemonSet(), daemonSet({ metadata: { namespace: "a", name: "d", uid: "other" } }));
  assertEquals(harness.expectations.pending("a/d"), undefined);
  harness.expectations.set("a/d", { add: 1 });
  handler.onDelete?.(daemonSet());
  assertEquals(harness.expectations.pending("a/d"), undefined);
  assertEquals((await drain(harness.queue)).length, 1);
});

Deno.test("a DaemonSet that goes is not waited for in the caches any more", async () => {
  const harness = new DaemonSetHarness({ nodes: [node("n")] });
  await harness.sync();
  const isWaitedFor = () => harness.sync().then(() => false, (error) => error instanceof StaleCacheError);
  assertEquals(await isWaitedFor(), true);
  daemonSetHandler(harness.context).onDelete?.(daemonSet());
  assertEquals(await isWaitedFor(), false);
});

Deno.test("a node is looked at when it comes, or when its labels or taints change", async () => {
  const harness = new DaemonSetHarness();
  const handler = nodeHandler(harness.context);
  handler.onAdd?.(node("n"), false);
  handler.onUpdate?.(node("n"), { ...node("n"), status: { phase: "x" } });
  handler.onUpdate?.(node("n"), node("n", { labels: {}, taints: [] }));
  assertEquals(await drain(harness.nodeQueue), ["n: node/n added"]);
  handler.onUpdate?.(node("n"), node("n", { labels: { a: "b" } }));
  handler.onUpdate?.(node("n"), node("n", { taints: [{ key: "k", effect: "NoSchedule" }] }));
  assertEquals(await drain(harness.nodeQueue), ["n: node/n updated"]);
});

Deno.test("syncNodeUpdate() queues the DaemonSets that want a pod there, or one away", async () => {
  const tainted = node("n1", { taints: [{ key: "k", effect: "NoExecute" }] });
  const harness = new DaemonSetHarness({ nodes: [node("n0"), tainted], pods: [pod("p", "n1")] });
  for (const name of ["n0", "n1", "gone"]) await syncNodeUpdate(name, harness.context);
  assertEquals(await drain(harness.queue), ["a/d: node/n0 updated, node/n1 updated"]);
});

Deno.test("matters() is true for a pod that is missing, unwanted, or perhaps out of place", () => {
  const run = { shouldRun: true, shouldContinue: true };
  const never = { shouldRun: false, shouldContinue: false };
  const stay = { shouldRun: false, shouldContinue: true };
  const misplaced = daemonSet({ status: { numberMisscheduled: 1 } });
  assertEquals([matters(daemonSet(), run, false), matters(daemonSet(), run, true)], [true, false]);
  assertEquals([matters(daemonSet(), never, true), matters(daemonSet(), never, false)], [true, false]);
  assertEquals([matters(daemonSet(), stay, true), matters(misplaced, stay, true)], [false, true]);
});
