import { assertEquals } from "@std/assert";
import type { Pod } from "../../../../src/api/mod.ts";
import { podHandler, setHandler } from "../../../../src/controllers/statefulset/handlers.ts";
import { takeKeys } from "../../workqueue/queue_contents.ts";
import { pod, statefulSet, StatefulSetHarness } from "./fixtures.ts";

const at = (object: Pod, resourceVersion: string): Pod => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
});

Deno.test("a StatefulSet is queued whatever happens to it, replays included", async () => {
  const harness = new StatefulSetHarness();
  const handler = setHandler(harness.context);
  const calls = [
    () => handler.onAdd?.(statefulSet(), false),
    () => handler.onUpdate?.(statefulSet(), statefulSet()),
    () => handler.onDelete?.(statefulSet()),
  ];
  for (const call of calls) {
    call();
    assertEquals(await takeKeys(harness.queue), ["a/web"]);
  }
});

Deno.test("a pod queues the set that controls it, and nobody else", async () => {
  const harness = new StatefulSetHarness();
  const handler = podHandler(harness.context);
  handler.onAdd?.(pod(0), false);
  assertEquals(await takeKeys(harness.queue), ["a/web"]);
  const [owner] = pod(0).metadata!.ownerReferences!;
  handler.onAdd?.(pod(0, { ownerReferences: [{ ...owner, uid: "former" }] }), false);
  handler.onAdd?.(pod(0, { ownerReferences: [{ ...owner, kind: "ReplicaSet" }] }), false);
  assertEquals(await takeKeys(harness.queue), []);
  handler.onDelete?.(pod(0));
  assertEquals(await takeKeys(harness.queue), ["a/web"]);
});

Deno.test("a pod that is going is still an update of its set", async () => {
  const harness = new StatefulSetHarness();
  const going = pod(0, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  podHandler(harness.context).onUpdate?.(at(pod(0), "1"), at(going, "2"));
  assertEquals(await takeKeys(harness.queue), ["a/web"]);
});

Deno.test("an orphan queues the sets that match it, and its end nobody", async () => {
  const harness = new StatefulSetHarness();
  const handler = podHandler(harness.context);
  handler.onAdd?.(pod(0, { isOwned: false }), false);
  assertEquals(await takeKeys(harness.queue), ["a/web"]);
  handler.onDelete?.(pod(0, { isOwned: false }));
  handler.onAdd?.(pod(0, { isOwned: false, labels: {} }), false);
  assertEquals(await takeKeys(harness.queue), []);
});

Deno.test("a pod that is ready as before, or not, or whose set does not wait for it, queues its set once", async () => {
  const unready = pod(0, { readyFor: null });
  const rows: [minReadySeconds: number, before: Pod, after: Pod][] = [
    [0, unready, pod(0)],
    [10, pod(0), pod(0)],
    [10, pod(0), unready],
    [10, unready, unready],
  ];
  for (const [minReadySeconds, before, after] of rows) {
    const harness = new StatefulSetHarness({ set: statefulSet({ minReadySeconds }) });
    podHandler(harness.context).onUpdate?.(at(before, "1"), at(after, "2"));
    assertEquals(await takeKeys(harness.queue), ["a/web"]);
    await harness.world.clock.advance(60_000);
    assertEquals(harness.queue.length, 0);
  }
});

Deno.test("a pod that becomes ready queues its set again when it will be available", async () => {
  const harness = new StatefulSetHarness({ set: statefulSet({ minReadySeconds: 10 }) });
  podHandler(harness.context).onUpdate?.(at(pod(0, { readyFor: null }), "1"), at(pod(0), "2"));
  await takeKeys(harness.queue);
  await harness.world.clock.advance(9_999);
  assertEquals(harness.queue.length, 0);
  await harness.world.clock.advance(1);
  assertEquals(harness.queue.length, 1);
});
