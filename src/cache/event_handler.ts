import type { DeletedFinalStateUnknown } from "./tombstone.ts";

/**
 * Receives changes; every callback is optional. Handlers should be quick: they usually put keys in a queue. If one
 * returns a promise, its next call waits for it; other handlers do not.
 *
 * @typeParam T The type of the objects, which are shared and must not be changed.
 */
export interface EventHandler<T> {
  /** @param isInInitialList Whether the object was there before the handler could have missed anything. */
  onAdd?(object: T, isInInitialList: boolean): void;
  /**
   * Both have the same resource version when the cache is merely replayed. Their uids may differ: see the tombstone.
   */
  onUpdate?(oldObject: T, newObject: T): void;
  onDelete?(object: T | DeletedFinalStateUnknown<T>): void;
}

/** What {@link filteringHandler} is made of. */
export interface FilteringHandlerOptions<T> {
  /** Whether the handler should see `object`, which may be a tombstone. */
  readonly filter: (object: T | DeletedFinalStateUnknown<T>) => boolean;
  readonly handler: EventHandler<T>;
}

/**
 * A handler that sees only objects that pass a filter. An object that starts to pass is added; one that stops passing
 * is deleted, with its old state. Upstream: `k8s.io/client-go/tools/cache` (FilteringResourceEventHandler).
 */
export function filteringHandler<T>({ filter, handler }: FilteringHandlerOptions<T>): EventHandler<T> {
  return {
    onAdd: (object, isInInitialList) => filter(object) ? handler.onAdd?.(object, isInInitialList) : undefined,
    onUpdate: (oldObject, newObject) => {
      const newer = filter(newObject);
      const older = filter(oldObject);
      if (newer && older) return handler.onUpdate?.(oldObject, newObject);
      if (newer) return handler.onAdd?.(newObject, false);
      if (older) return handler.onDelete?.(oldObject);
    },
    onDelete: (object) => filter(object) ? handler.onDelete?.(object) : undefined,
  };
}
