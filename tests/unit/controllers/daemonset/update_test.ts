/** How a DaemonSet replaces pods of other revisions. */
import { assertEquals } from "@std/assert";
import { daemonSet, DaemonSetHarness, hash, nodes, onAll, rolling, template } from "./fixtures.ts";

Deno.test("syncDaemonSet() replaces as many pods at a time as may be unavailable", async () => {
  const harness = new DaemonSetHarness({ set: daemonSet(rolling(2)), nodes: nodes(5), pods: onAll(5) });
  harness.change({ template: template("i:2") });
  for (const expected of [2, 2, 1]) {
    await harness.sync();
    assertEquals(harness.podWrites().deleted.length, expected);
    harness.catchUp();
    await harness.sync();
    assertEquals(harness.podWrites().created, expected);
    harness.allReady();
  }
  await harness.sync();
  assertEquals(harness.podWrites(), { created: 0, deleted: [] });
  assertEquals(harness.status?.updatedNumberScheduled, 5);
});

Deno.test("syncDaemonSet() goes no further when new pods do not come up", async () => {
  const harness = new DaemonSetHarness({ set: daemonSet(rolling(3)), nodes: nodes(5), pods: onAll(5) });
  harness.change({ template: template("i:2") });
  await harness.sync();
  assertEquals(harness.podWrites().deleted.length, 3);
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.podWrites().created, 3);
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.podWrites(), { created: 0, deleted: [] });
});

Deno.test("syncDaemonSet() makes successors first with surge, and deletes what they replace", async () => {
  const harness = new DaemonSetHarness({ set: daemonSet(rolling(0, 2)), nodes: nodes(5), pods: onAll(5) });
  harness.change({ template: template("i:2") });
  const steps: [number, number][] = [];
  for (let i = 0; i < 12; i++) {
    await harness.sync();
    const { created, deleted } = harness.podWrites();
    if (created + deleted.length > 0) steps.push([created, deleted.length]);
    harness.allReady();
  }
  assertEquals(steps.reduce(([c, d], [created, deleted]) => [c + created, d + deleted], [0, 0]), [5, 5]);
  assertEquals(steps[0], [2, 0]);
  assertEquals(steps.every(([created]) => created <= 2), true);
});

Deno.test("syncDaemonSet() makes only a revision with OnDelete", async () => {
  const harness = new DaemonSetHarness({
    set: daemonSet({ updateStrategy: { type: "OnDelete" } }),
    nodes: nodes(2),
    pods: onAll(2),
  });
  harness.change({ template: template("i:2") });
  await harness.sync();
  assertEquals(harness.client.writes, [`create controllerrevisions a/d-${hash("i:2")}`, "put daemonsets/status a/d"]);
});

Deno.test("syncDaemonSet() replaces no pod whose generation label says that it is new, whatever its hash", async () => {
  const labels = { app: "d", "controller-revision-hash": "other", "pod-template-generation": "3" };
  const metadata = {
    namespace: "a",
    name: "d",
    uid: "uid-d",
    generation: 2,
    annotations: { "deprecated.daemonset.template.generation": "3" },
  };
  const harness = new DaemonSetHarness({
    set: daemonSet({ image: "i:2", metadata }),
    nodes: nodes(1),
    pods: onAll(1, { labels }),
  });
  await harness.sync();
  assertEquals(harness.podWrites().deleted, []);
  assertEquals(harness.status?.updatedNumberScheduled, 1);
});
