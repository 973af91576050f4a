import type { KubeObject } from "../api/mod.ts";
import type { StoreContent } from "./store_content.ts";
import type { DeletedFinalStateUnknown } from "./tombstone.ts";

/** A change of one object. */
export type ObjectDelta<T extends KubeObject> =
  | { readonly type: "Added" | "Updated"; readonly key: string; readonly object: T }
  | { readonly type: "Deleted"; readonly key: string; readonly object: T | DeletedFinalStateUnknown<T> };

/** A change of everything at once. */
export type WholeDelta<T extends KubeObject> =
  | {
    readonly type: "ReplacedAll";
    readonly objects: readonly T[];
    readonly resourceVersion: string;
    /** The same objects, already indexed; the consumer only swaps it in. */
    readonly content?: StoreContent<T>;
    /** Keys whose objects stay as they are if they are not among these: they exist, but cannot be read. */
    readonly keep?: readonly string[];
  }
  | { readonly type: "SyncAll" }
  | { readonly type: "Bookmark"; readonly resourceVersion: string };

/** An element of a DeltaFifo. */
export type Delta<T extends KubeObject> = ObjectDelta<T> | WholeDelta<T>;

/** Whether `delta` is about one object, so that it may share a batch with others. */
export function isObjectDelta<T extends KubeObject>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.type === "Added" || delta.type === "Updated" || delta.type === "Deleted";
}
