/** The revisions of a DaemonSet's template. */
import { assertEquals, assertRejects } from "@std/assert";
import { CONTROLLERREVISIONS, DAEMONSETS } from "../../../../src/api/mod.ts";
import { daemonSet, DaemonSetHarness, hash, nodes, onAll, revision } from "./fixtures.ts";

Deno.test("syncDaemonSet() makes pods and revision agree on the youngest of several revisions of one template", async () => {
  const kept = revision("i:1", 3, { name: "d-kept", labels: { app: "d", "controller-revision-hash": "kept" } });
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: onAll(1), revisions: [revision("i:1", 1), kept] });
  await harness.sync();
  assertEquals(harness.client.writes.slice(0, 2), ["patch pods a/p0", `delete controllerrevisions a/d-${hash()}`]);
  assertEquals(harness.client.bodies("patch pods"), [{ metadata: { labels: { "controller-revision-hash": "kept" } } }]);
});

Deno.test("syncDaemonSet() keeps of revisions with the same number the last", async () => {
  const twin = (name: string) =>
    revision("i:1", 3, { name: `d-${name}`, labels: { app: "d", "controller-revision-hash": name } });
  const harness = new DaemonSetHarness({ nodes: nodes(1), pods: onAll(1), revisions: [twin("x"), twin("y")] });
  await harness.sync();
  assertEquals(harness.client.writes.slice(0, 2), ["patch pods a/p0", "delete controllerrevisions a/d-x"]);
});

Deno.test("syncDaemonSet() takes an older revision of the present template up again", async () => {
  const harness = new DaemonSetHarness({
    nodes: nodes(1),
    pods: onAll(1),
    revisions: [revision("i:1", 1), revision("i:2", 2)],
  });
  await harness.sync();
  assertEquals(harness.client.writes[0], `put controllerrevisions a/d-${hash()}`);
  assertEquals(harness.client.find(CONTROLLERREVISIONS, `a/d-${hash()}`)?.revision, 3);
  assertEquals(harness.podWrites().deleted, []);
});

Deno.test("syncDaemonSet() gives a revision without hash its name for one", async () => {
  const harness = new DaemonSetHarness({ revisions: [revision("i:1", 1, { labels: { app: "d" } })] });
  await harness.sync();
  assertEquals(
    harness.client.find(CONTROLLERREVISIONS, `a/d-${hash()}`)?.metadata?.labels?.["controller-revision-hash"],
    `d-${hash()}`,
  );
});

Deno.test("syncDaemonSet() counts a collision when another template has the revision's name, and tries again", async () => {
  const taken = revision("i:2", 1, { name: `d-${hash()}`, labels: { other: "x" }, ownerReferences: undefined });
  const harness = new DaemonSetHarness({ nodes: nodes(1), revisions: [taken] });
  await assertRejects(() => harness.sync(), Error, "already exists");
  assertEquals(harness.client.find(DAEMONSETS, "a/d")?.status?.collisionCount, 1);
  await assertRejects(() => harness.sync(), Error, "found a stale collision count (nil, expected 1) of DaemonSet");
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.client.all(CONTROLLERREVISIONS).length, 2);
});

Deno.test("syncDaemonSet() deletes old revisions beyond the limit, but none that a pod is of", async () => {
  const images = ["i:2", "i:3", "i:4", "i:5"];
  const revisions = [revision("i:1", 9), ...images.map((image, i) => revision(image, i + 1, { uid: `uid-${image}` }))];
  const harness = new DaemonSetHarness({
    set: daemonSet({ revisionHistoryLimit: 2, updateStrategy: { type: "OnDelete" } }),
    nodes: nodes(1),
    pods: onAll(1, { image: "i:2" }),
    revisions,
  });
  await harness.sync();
  const deleted = harness.client.writes.filter((text) => text.startsWith("delete controllerrevisions"));
  assertEquals(deleted, ["i:3", "i:4"].map((image) => `delete controllerrevisions a/d-${hash(image)}`));
});
