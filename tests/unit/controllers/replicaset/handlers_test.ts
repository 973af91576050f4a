import { assertEquals } from "@std/assert";
import type { Pod, ReplicaSet } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown, type EventHandler, Lister } from "../../../../src/cache/mod.ts";
import { ownerHandler, podHandler } from "../../../../src/controllers/replicaset/handlers.ts";
import { REPLICASET_KIND } from "../../../../src/controllers/replicaset/kind.ts";
import { ago } from "../fake_times.ts";
import { pod, replicaSet, ReplicaSetHarness } from "./fixtures.ts";

class Handlers extends ReplicaSetHarness {
  readonly cleared: string[] = [];
  readonly owner: Required<EventHandler<ReplicaSet>>;
  readonly pod: Required<EventHandler<Pod>>;

  constructor(owner: ReplicaSet = replicaSet()) {
    super(owner);
    const options = {
      kind: REPLICASET_KIND,
      owners: new Lister(this.owners),
      queue: this.queue,
      expectations: this.expectations,
      guard: { clear: (key: string, uid?: string) => this.cleared.push(`${key} ${uid}`) },
    };
    this.owner = ownerHandler(options) as Required<EventHandler<ReplicaSet>>;
    this.pod = podHandler(options) as Required<EventHandler<Pod>>;
  }
}

const REF = pod("x").metadata!.ownerReferences![0];
const v = (version: number) => ({ resourceVersion: String(version) });

Deno.test("ownerHandler() enqueues a ReplicaSet that is added or updated, also by a replay", async () => {
  const { owner, queue, ...rest } = new Handlers();
  owner.onAdd(replicaSet(), true);
  owner.onUpdate(replicaSet(v(1)), replicaSet(v(1)));
  assertEquals(queue.length, 1);
  const { causes } = (await queue.get())!;
  assertEquals(causes.texts, ["replicaset/a/r added", "replicaset/a/r resynced at 1"]);
  assertEquals(rest.cleared, []);
});

Deno.test("ownerHandler() forgets and enqueues a ReplicaSet that is deleted", async () => {
  for (const deleted of [replicaSet(), new DeletedFinalStateUnknown("a/r", replicaSet())]) {
    const handlers = new Handlers();
    handlers.expectations.expectCreations("a/r", 1);
    handlers.owner.onDelete(deleted);
    assertEquals(handlers.cleared, ["a/r uid-r"]);
    assertEquals(handlers.expectations.pending("a/r"), undefined);
    assertEquals(await handlers.queued(), ["a/r: replicaset/a/r deleted"]);
  }
});

Deno.test("ownerHandler() forgets a ReplicaSet of whose deletion only the key is known", async () => {
  const handlers = new Handlers();
  handlers.expectations.expectCreations("a/r", 1);
  handlers.owner.onDelete(new DeletedFinalStateUnknown<ReplicaSet>("a/r", undefined));
  assertEquals(handlers.cleared, ["a/r undefined"]);
  assertEquals(handlers.expectations.pending("a/r"), undefined);
  assertEquals(await handlers.queued(), ["a/r: replicaset/a/r deleted"]);
});

Deno.test("ownerHandler() takes an update to another uid for a deletion first", async () => {
  const handlers = new Handlers();
  handlers.expectations.expectCreations("a/r", 1);
  handlers.owner.onUpdate(replicaSet({ uid: "old" }), replicaSet());
  assertEquals(handlers.cleared, ["a/r old"]);
  assertEquals(handlers.expectations.pending("a/r"), undefined);
  assertEquals(await handlers.queued(), ["a/r: replicaset/a/r deleted, replicaset/a/r updated"]);
});

Deno.test("podHandler() observes the creation of an owned pod and enqueues its owner", async () => {
  const handlers = new Handlers();
  handlers.expectations.expectCreations("a/r", 2);
  handlers.pod.onAdd(pod("1"), false);
  handlers.pod.onAdd(pod("2", { ownerReferences: [{ ...REF, uid: "old" }] }), false);
  handlers.pod.onAdd(pod("3", { ownerReferences: [{ ...REF, kind: "ReplicationController" }] }), false);
  assertEquals(handlers.expectations.pending("a/r"), { add: 1, del: 0 });
  assertEquals(await handlers.queued(), ["a/r: pod/a/1 added"]);
});

Deno.test("podHandler() enqueues every ReplicaSet that matches an orphan and observes nothing", async () => {
  const handlers = new Handlers();
  handlers.owners.add(replicaSet({ name: "s", uid: "uid-s" }));
  handlers.expectations.expectCreations("a/r", 1);
  handlers.pod.onAdd(pod("1", { isOwned: false }), false);
  handlers.pod.onAdd(pod("2", { isOwned: false, labels: { app: "y" } }), false);
  handlers.pod.onAdd(pod("3", { isOwned: false, labels: undefined }), false);
  assertEquals(handlers.expectations.pending("a/r"), { add: 1, del: 0 });
  assertEquals(await handlers.queued(), ["a/r: pod/a/1 added", "a/s: pod/a/1 added"]);
});

Deno.test("podHandler() takes a pod that is added while going for a deletion", async () => {
  const handlers = new Handlers();
  handlers.expectations.expectDeletions("a/r", ["a/1"]);
  handlers.pod.onAdd(pod("1", { deletionTimestamp: ago(1) }), true);
  assertEquals(handlers.expectations.pending("a/r"), { add: 0, del: 0 });
  assertEquals(await handlers.queued(), ["a/r: pod/a/1 deleted"]);
});

Deno.test("podHandler() counts the mark of deletion and the deletion once", async () => {
  const handlers = new Handlers();
  handlers.expectations.expectDeletions("a/r", ["a/1", "a/2"]);
  const going = pod("1", { deletionTimestamp: ago(1), ...v(2) });
  handlers.pod.onUpdate(pod("1", v(1)), going);
  assertEquals(handlers.expectations.pending("a/r"), { add: 0, del: 1 });
  handlers.pod.onDelete(going);
  handlers.pod.onDelete(new DeletedFinalStateUnknown("a/1", going));
  assertEquals(handlers.expectations.pending("a/r"), { add: 0, del: 1 });
  assertEquals(await handlers.queued(), ["a/r: pod/a/1 deleted at 2"]);
});

Deno.test("podHandler() also tells the owner a pod had before, when labels change as it goes", async () => {
  const handlers = new Handlers();
  handlers.owners.add(replicaSet({ name: "s", uid: "uid-s" }));
  const before = pod("1", { ownerReferences: [{ ...REF, name: "s", uid: "uid-s" }], ...v(1) });
  const labels = { app: "y" };
  handlers.pod.onUpdate(before, pod("1", { deletionTimestamp: ago(1), labels, ...v(2) }));
  assertEquals(await handlers.queued(), ["a/r: pod/a/1 deleted at 2", "a/s: pod/a/1 deleted at 1"]);
});

Deno.test("podHandler() ignores a replay, a deleted orphan and a tombstone without an object", async () => {
  const handlers = new Handlers();
  handlers.pod.onUpdate(pod("1", v(1)), pod("1", v(1)));
  handlers.pod.onDelete(pod("1", { isOwned: false }));
  handlers.pod.onDelete(new DeletedFinalStateUnknown<Pod>("a/1", undefined));
  assertEquals(await handlers.queued(), []);
});

Deno.test("podHandler() enqueues the old and the new owner of a pod", async () => {
  const handlers = new Handlers();
  handlers.owners.add(replicaSet({ name: "s", uid: "uid-s" }));
  const others = pod("1", { ownerReferences: [{ ...REF, name: "s", uid: "uid-s" }], ...v(2) });
  handlers.pod.onUpdate(pod("1", v(1)), others);
  assertEquals(await handlers.queued(), ["a/r: pod/a/1 updated at 2", "a/s: pod/a/1 updated at 2"]);
});

const ORPHANED: { name: string; before: Pod; after: Pod; expected: string[] }[] = [
  {
    name: "that lost its owner",
    before: pod("1", v(1)),
    after: pod("1", { isOwned: false, ...v(2) }),
    expected: ["a/r: pod/a/1 updated at 2"],
  },
  {
    name: "whose labels changed",
    before: pod("1", { isOwned: false, labels: { app: "y" }, ...v(1) }),
    after: pod("1", { isOwned: false, ...v(2) }),
    expected: ["a/r: pod/a/1 updated at 2"],
  },
  {
    name: "of which neither changed, not at all",
    before: pod("1", { isOwned: false, ...v(1) }),
    after: pod("1", { isOwned: false, phase: "Failed", ...v(2) }),
    expected: [],
  },
];
for (const { name, before, after, expected } of ORPHANED) {
  Deno.test(`podHandler() enqueues matches for an orphan ${name}`, async () => {
    const handlers = new Handlers();
    handlers.pod.onUpdate(before, after);
    assertEquals(await handlers.queued(), expected);
  });
}

Deno.test("podHandler() enqueues the owner again when a pod that became ready will be available", async () => {
  const handlers = new Handlers(replicaSet({ minReadySeconds: 30 }));
  handlers.pod.onUpdate(pod("1", { readyFor: undefined, ...v(1) }), pod("1", { readyFor: 0, ...v(2) }));
  handlers.pod.onUpdate(pod("2", { readyFor: 9, ...v(1) }), pod("2", { readyFor: 9, ...v(2) }));
  assertEquals(await handlers.queued(), ["a/r: pod/a/1 updated at 2, pod/a/2 updated at 2"]);
  await handlers.world.clock.advance(29_999);
  assertEquals(await handlers.queued(), []);
  await handlers.world.clock.advance(1);
  assertEquals(await handlers.queued(), ["a/r: minReadySeconds of pod/a/1 passed"]);
  handlers.queue.shutDown();
});

Deno.test("podHandler() comes back only for a pod that became ready, of a ReplicaSet that waits for it", async () => {
  const unready = { readyFor: undefined };
  const rows: [minReadySeconds: number, before: object, after: object, comesBack: boolean][] = [
    [10, unready, {}, true],
    [0, unready, {}, false],
    [10, {}, {}, false],
    [10, {}, unready, false],
  ];
  for (const [minReadySeconds, before, after, comesBack] of rows) {
    const handlers = new Handlers(replicaSet({ minReadySeconds }));
    handlers.pod.onUpdate(pod("p", { ...v(1), ...before }), pod("p", { ...v(2), ...after }));
    await handlers.queued();
    await handlers.world.clock.advance(9_999);
    assertEquals(handlers.queue.length, 0);
    await handlers.world.clock.advance(1);
    assertEquals(handlers.queue.length, comesBack ? 1 : 0);
    handlers.queue.shutDown();
  }
});
