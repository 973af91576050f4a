import { type KubeObject, objectKey } from "../api/mod.ts";
import { type Delta, isObjectDelta, type ObjectDelta, type WholeDelta } from "./delta.ts";
import type { Indexer } from "./indexer.ts";
import type { Notification } from "./notification.ts";
import { DeletedFinalStateUnknown } from "./tombstone.ts";

/**
 * Applies one pop of a DeltaFifo to the store, and tells what the handlers are to hear of it. The store is changed when the
 * function returns; the notifications may be read at leisure, as long as no further delta is applied meanwhile.
 * Upstream: `k8s.io/client-go/tools/cache/controller.go` (processDeltasInBatch, processReplacedAllInfo).
 */
export function applyDeltas<T extends KubeObject>(
  indexer: Indexer<T>,
  deltas: readonly Delta<T>[],
  isInInitialList: boolean,
): Iterable<Notification<T>> {
  const notifications: Notification<T>[] = [];
  for (const delta of deltas) {
    if (!isObjectDelta(delta)) return applyWhole(indexer, delta, isInInitialList); // comes alone
    notifications.push(applyObject(indexer, delta, isInInitialList));
  }
  return notifications;
}

function applyObject<T extends KubeObject>(
  indexer: Indexer<T>,
  delta: ObjectDelta<T>,
  isInInitialList: boolean,
): Notification<T> {
  if (delta.type === "Deleted") {
    const before = indexer.delete(delta.object);
    const { object } = delta;
    const isKeyOnly = object instanceof DeletedFinalStateUnknown && object.object === undefined;
    return { kind: "delete", object: isKeyOnly ? new DeletedFinalStateUnknown(object.key, before) : object };
  }
  const oldObject = indexer.add(delta.object);
  return oldObject
    ? { kind: "update", oldObject, newObject: delta.object }
    : { kind: "add", object: delta.object, isInInitialList };
}

function applyWhole<T extends KubeObject>(
  indexer: Indexer<T>,
  delta: WholeDelta<T>,
  isInInitialList: boolean,
): Iterable<Notification<T>> {
  switch (delta.type) {
    case "Bookmark":
      indexer.bookmark(delta.resourceVersion);
      return [];
    case "SyncAll":
      return replayOf(indexer.list());
    case "ReplacedAll":
      return replace(indexer, delta, isInInitialList);
  }
}

function* replayOf<T>(objects: readonly T[]): Iterable<Notification<T>> {
  for (const object of objects) yield { kind: "update", oldObject: object, newObject: object };
}

function replace<T extends KubeObject>(
  indexer: Indexer<T>,
  { objects, resourceVersion, content, keep = [] }: WholeDelta<T> & { readonly type: "ReplacedAll" },
  isInInitialList: boolean,
): Iterable<Notification<T>> {
  const now = content ?? indexer.stage();
  if (!content) { for (const object of objects) now.put(objectKey(object), object); }
  for (const key of keep) {
    const kept = now.has(key) ? undefined : indexer.get(key);
    if (kept) now.put(key, kept);
  }
  const before = indexer.swap(now, resourceVersion);
  return (function* () {
    for (const [key, object] of before.entries()) {
      if (!now.has(key)) yield { kind: "delete", object: new DeletedFinalStateUnknown(key, object) };
    }
    for (const object of objects) {
      const oldObject = before.get(objectKey(object));
      if (oldObject) yield { kind: "update", oldObject, newObject: object };
      else yield { kind: "add", object, isInInitialList };
    }
  })();
}
