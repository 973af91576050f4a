import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { newControllerRef, type Pod, type ReplicaSet, REPLICASETS } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown, Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import { childHandler, parentHandler } from "../../../../src/controllers/running/mod.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { takeKeys } from "../../workqueue/queue_contents.ts";

const DELETING = "2026-01-01T00:00:00Z";

function parent(name: string, app = "x"): ReplicaSet {
  const selector = { matchLabels: { app } };
  return { metadata: { namespace: "a", name, uid: `uid-${name}` }, spec: { selector } };
}

/** A child of `owner`, if there is one. */
function child(owner?: string, { version = "1", ...metadata }: Pod["metadata"] & { version?: string } = {}): Pod {
  const ownerReferences = owner ? [newControllerRef(parent(owner), REPLICASETS)] : undefined;
  return {
    metadata: {
      namespace: "a",
      name: "p",
      labels: { app: "x" },
      ownerReferences,
      resourceVersion: version,
      ...metadata,
    },
  };
}

class Rig {
  readonly queue = new WorkQueue({ world: new FakeWorld() });
  readonly heard: string[] = [];
  readonly handler;

  constructor({ deletingIsDeleted = false } = {}) {
    const parents = new Indexer<ReplicaSet>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
    for (const stored of [parent("one"), parent("two"), parent("other", "y")]) parents.add(stored);
    this.handler = childHandler<ReplicaSet, Pod>({
      child: "pod",
      parentKind: "ReplicaSet",
      parents: new Lister(parents),
      queue: this.queue,
      selectorOf: ({ spec }) => spec?.selector,
      deletingIsDeleted,
      onCreated: (key) => this.heard.push(`created ${key}`),
      onDeleted: (key) => this.heard.push(`deleted ${key}`),
      onUpdated: ({ metadata }) => this.heard.push(`updated ${metadata?.name}`),
    });
  }

  /** What was queued since the last look. */
  async queued(): Promise<string> {
    return (await takeKeys(this.queue)).sort().join();
  }
}

Deno.test("childHandler: a child with a controller queues that one, if the cache has it; one without queues all that could want it", async () => {
  const rig = new Rig();
  rig.handler.onAdd?.(child("one"), false);
  assertEquals([await rig.queued(), rig.heard.pop()], ["a/one", "created a/one"]);
  rig.handler.onUpdate?.(child("one"), child("one", { version: "2" }));
  assertEquals([await rig.queued(), rig.heard.pop()], ["a/one", "updated one"]);
  rig.handler.onAdd?.(child("gone"), false);
  assertEquals(await rig.queued(), "");
  rig.handler.onAdd?.(child(), false);
  assertEquals([await rig.queued(), rig.heard], ["a/one,a/two", []]);
});

Deno.test("childHandler: a child that changed its controller queues the former one too", async () => {
  const rig = new Rig();
  rig.handler.onUpdate?.(child("one"), child("two", { version: "2" }));
  assertEquals(await rig.queued(), "a/one,a/two");
  rig.handler.onUpdate?.(child("one"), child(undefined, { version: "2", labels: { app: "y" } }));
  assertEquals(await rig.queued(), "a/one,a/other");
});

Deno.test("childHandler: an orphan's change matters only if its labels or its controller changed; its deletion does not matter", async () => {
  const rig = new Rig();
  rig.handler.onUpdate?.(child(), child(undefined, { version: "2", annotations: { a: "b" } }));
  rig.handler.onDelete?.(child());
  assertEquals(await rig.queued(), "");
  rig.handler.onUpdate?.(child(undefined, { labels: {} }), child(undefined, { version: "2" }));
  assertEquals(await rig.queued(), "a/one,a/two");
});

Deno.test("childHandler: a child that is first seen while it is being deleted counts as deleted", async () => {
  const rig = new Rig();
  rig.handler.onAdd?.(child("one", { deletionTimestamp: DELETING }), true);
  rig.handler.onDelete?.(new DeletedFinalStateUnknown("a/p", child("two")));
  assertEquals([await rig.queued(), rig.heard], ["a/one,a/two", ["deleted a/one", "deleted a/two"]]);
});

Deno.test("childHandler: a replay of the cache is ignored", async () => {
  const rig = new Rig();
  rig.handler.onUpdate?.(child("one"), child("one", { annotations: { a: "b" } }));
  assertEquals(await rig.queued(), "");
});

Deno.test("childHandler takes the beginning of a deletion for its end, where that is asked for", () => {
  for (const deletingIsDeleted of [true, false]) {
    const rig = new Rig({ deletingIsDeleted });
    rig.handler.onUpdate?.(child("one"), child("one", { version: "2", deletionTimestamp: DELETING }));
    assertEquals(rig.heard, [deletingIsDeleted ? "deleted a/one" : "updated one"]);
  }
});

Deno.test("parentHandler queues what is added, changed, replayed, replaced or deleted, and tells what is gone", async () => {
  const rig = new Rig();
  const gone: string[] = [];
  const onGone = (key: string, uid?: string) => gone.push(`${key} ${uid}`);
  const handler = parentHandler<ReplicaSet>({ kind: "replicaset", queue: rig.queue, onGone });
  const calls = [
    () => handler.onAdd?.(parent("one"), false),
    () => handler.onUpdate?.(parent("one"), parent("one")),
    () => handler.onUpdate?.(parent("one"), { ...parent("one"), metadata: { ...parent("one").metadata, uid: "new" } }),
    () => handler.onDelete?.(parent("one")),
    () => handler.onDelete?.(new DeletedFinalStateUnknown<ReplicaSet>("a/one", undefined)),
  ];
  for (const call of calls) {
    call();
    assertEquals(await rig.queued(), "a/one");
  }
  assertEquals(gone, ["a/one uid-one", "a/one uid-one", "a/one undefined"]);
});
