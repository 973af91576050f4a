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
