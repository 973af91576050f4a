import { assertEquals, assertRejects } from "@std/assert";
import { type ControllerRevision, CONTROLLERREVISIONS } from "../../../../src/api/mod.ts";
import { byRevision, revisionDataOf } from "../../../../src/controllers/revisions/mod.ts";
import { findLatest, syncRevisions, truncateHistory } from "../../../../src/controllers/statefulset/history.ts";
import { statusError } from "../status_errors.ts";
import { pod, revision, revisionNameOf, statefulSet, StatefulSetHarness, template } from "./fixtures.ts";

const data = (image: string) => revisionDataOf(template(image), "double");
const never = () => false;

Deno.test("findLatest() sees that nothing has changed, that it is rolled back, or that the template is new", () => {
  const [first, second, third] = ["i:1", "i:2", "i:3"].map((image, i) => revision(image, i + 1));
  const all = [first, second, third];
  assertEquals(findLatest(all, data("i:3"), never), { kind: "same", revision: third });
  assertEquals(findLatest(all, data("i:2"), never), { kind: "rollback", revision: second });
  assertEquals(findLatest(all, data("i:4"), never), { kind: "new" });
  assertEquals(findLatest([], data("i:1"), () => true), { kind: "new" });
});

Deno.test("findLatest() asks whether other bytes mean the same only of the last revision, and only where none has the bytes", () => {
  const [first, second] = [revision("i:1", 1), revision("i:2", 2)];
  const asked: (string | undefined)[] = [];
  const ask = ({ metadata }: ControllerRevision) => {
    asked.push(metadata?.name);
    return true;
  };
  assertEquals(findLatest([first, second], data("i:3"), ask), { kind: "same", revision: second });
  assertEquals(findLatest([first, second], data("i:1"), ask).kind, "rollback");
  assertEquals(asked, [second.metadata?.name]);
});

/** As a version up to 1.33 wrote it. */
function older(image: string, number: number): ControllerRevision {
  const { metadata, spec } = template(image);
  const stored = {
    spec: { template: { $patch: "replace", metadata: { ...metadata, creationTimestamp: null }, spec } },
  };
  return revision(image, number, { name: `web-old${number}`, data: stored });
}

const TRIES: readonly { name: string; revisions: ControllerRevision[]; update: string; writes: string[] }[] = [
  {
    name: "makes the first revision",
    revisions: [],
    update: revisionNameOf("i:2"),
    writes: [`create controllerrevisions a/${revisionNameOf("i:2")}`],
  },
  {
    name: "keeps the last one",
    revisions: [revision("i:1", 1), revision("i:2", 2)],
    update: revisionNameOf("i:2"),
    writes: [],
  },
  {
    name: "gives an older one the next number",
    revisions: [revision("i:1", 1), revision("i:2", 2), revision("i:3", 3)],
    update: revisionNameOf("i:2"),
    writes: [`put controllerrevisions a/${revisionNameOf("i:2")}`],
  },
  { name: "keeps one that another version wrote", revisions: [older("i:2", 1)], update: "web-old1", writes: [] },
  {
    name: "takes of two for one template the one with today's bytes",
    revisions: [older("i:2", 1), revision("i:2", 2)],
    update: revisionNameOf("i:2"),
    writes: [],
  },
];

for (const { name, revisions, update, writes } of TRIES) {
  Deno.test(`syncRevisions() ${name}`, async () => {
    const harness = new StatefulSetHarness({ set: statefulSet({ image: "i:2" }), revisions });
    const stored = harness.client.all(CONTROLLERREVISIONS).sort(byRevision);
    const found = await syncRevisions(statefulSet({ image: "i:2" }), stored, harness.context);
    assertEquals([found.update.metadata?.name, found.current.metadata?.name], [update, update]);
    assertEquals(harness.client.writes, writes);
  });
}

Deno.test("syncRevisions() numbers a rolled back revision after the last one", async () => {
  const revisions = [1, 2, 3].map((number) => revision(`i:${number}`, number));
  const set = statefulSet({ image: "i:2", status: { replicas: 0, currentRevision: revisionNameOf("i:3") } });
  const harness = new StatefulSetHarness({ set, revisions });
  const found = await syncRevisions(set, harness.client.all(CONTROLLERREVISIONS).sort(byRevision), harness.context);
  assertEquals([found.update.revision, found.current.metadata?.name], [4, revisionNameOf("i:3")]);
  assertEquals(harness.client.find(CONTROLLERREVISIONS, `a/${revisionNameOf("i:2")}`)?.revision, 4);
});

Deno.test("syncRevisions() tries a conflict again with what the cache has by then", async () => {
  const revisions = [revision("i:2", 1), revision("i:3", 2)];
  const set = statefulSet({ image: "i:2" });
  const harness = new StatefulSetHarness({ set, revisions });
  harness.client.fail("put controllerrevisions", statusError(409, "Conflict"), { times: 1 });
  const syncing = syncRevisions(set, harness.client.all(CONTROLLERREVISIONS).sort(byRevision), harness.context);
  await harness.world.clock.advance(20);
  assertEquals((await syncing).update.revision, 3);
});

Deno.test("syncRevisions() is done after a conflict when the cache shows the number", async () => {
  const revisions = [revision("i:2", 1), revision("i:3", 2)];
  const set = statefulSet({ image: "i:2" });
  const harness = new StatefulSetHarness({ set, revisions });
  harness.client.fail("put controllerrevisions", statusError(409, "Conflict"), { times: 1 });
  const syncing = syncRevisions(set, harness.client.all(CONTROLLERREVISIONS).sort(byRevision), harness.context);
  harness.revisions.add(revision("i:2", 3, { resourceVersion: "5000" }));
  await harness.world.clock.advance(20);
  assertEquals((await syncing).update.metadata?.resourceVersion, "5000");
  assertEquals(harness.client.writes.length, 1);
});

Deno.test("syncRevisions() takes another name when its own is taken by other data, and keeps the label", async () => {
  const set = statefulSet({ image: "i:2" });
  const taken = revision("i:9", 1, { name: revisionNameOf("i:2"), labels: { other: "x" }, ownerReferences: undefined });
  const harness = new StatefulSetHarness({ set, revisions: [taken] });
  const { update, collisionCount } = await syncRevisions(set, [], harness.context);
  assertEquals([update.metadata?.name, collisionCount], [revisionNameOf("i:2", 1), 1]);
  assertEquals(update.metadata?.labels?.["controller.kubernetes.io/hash"], revisionNameOf("i:2").slice(4));
});

Deno.test("syncRevisions() takes a revision that exists already for its own if it holds the same", async () => {
  const set = statefulSet({ image: "i:2", status: { replicas: 0, collisionCount: 0 } });
  const harness = new StatefulSetHarness({ set, revisions: [revision("i:2", 1)] });
  const { update, collisionCount } = await syncRevisions(set, [], harness.context);
  assertEquals([update.metadata?.name, collisionCount], [revisionNameOf("i:2"), 0]);
});

Deno.test("truncateHistory() deletes the oldest beyond the limit that nobody uses, and ends at an error", async () => {
  const revisions = [1, 2, 3, 4, 5, 6].map((number) => revision(`i:${number}`, number));
  const live = new Set([revisionNameOf("i:6"), revisionNameOf("i:2")]);
  const delete_ = async (revisionHistoryLimit: number, fails = false) => {
    const harness = new StatefulSetHarness({ revisions });
    if (fails) harness.client.fail("delete", statusError(404, "NotFound"));
    const deleting = truncateHistory(statefulSet({ revisionHistoryLimit }), revisions, live, harness.context);
    if (fails) await assertRejects(() => deleting);
    else await deleting;
    return harness.client.writes.length;
  };
  assertEquals([await delete_(2), await delete_(0), await delete_(-1), await delete_(10)], [2, 4, 0, 0]);
  assertEquals(await delete_(0, true), 1);
});

Deno.test("syncStatefulSet() shortens the history also when a pod cannot be created, and keeps what pods are of", async () => {
  const images = ["i:3", "i:4", "i:5", "i:2", "i:1"];
  const revisions = images.map((image, i) => revision(image, i + 1));
  const set = statefulSet({ revisionHistoryLimit: 1, status: { replicas: 1, currentRevision: revisionNameOf("i:1") } });
  const harness = new StatefulSetHarness({ set, revisions, pods: [pod(0, { image: "i:3" })] });
  harness.client.fail("create pods", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "broken");
  const deleted = harness.client.writes.filter((text) => text.startsWith("delete"));
  assertEquals(deleted, ["i:4", "i:5"].map((image) => `delete controllerrevisions a/${revisionNameOf(image)}`));
});
