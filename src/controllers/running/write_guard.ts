import { controllerOf, joinKey, type KubeObject, objectKey, PODS, type Resource } from "../../api/mod.ts";
import type { ConsistencyStore } from "../../cache/mod.ts";

/** Keeps a sync from acting on caches that do not show this controller's own last writes yet. */
export class WriteGuard {
  readonly #store: ConsistencyStore;
  readonly #resource: Resource;
  readonly #isOff: boolean;

  /**
   * @param resource The owners' resource.
   * @param isOff Disables the guard, as when the gate StaleControllerConsistency* is off.
   */
  constructor(store: ConsistencyStore, resource: Resource, { isOff = false }: { readonly isOff?: boolean } = {}) {
    this.#store = store;
    this.#resource = resource;
    this.#isOff = isOff;
  }

  /** @throws {StaleCacheError} If a cache is behind a write recorded for this key. */
  ensureReady(key: string): void {
    if (!this.#isOff) this.#store.ensureReady(key);
  }

  /** Records the server's answer to creating, adopting or releasing a pod, for the pod's controller in that answer. */
  wrotePod(pod: KubeObject): void {
    const controller = controllerOf(pod);
    const { namespace, resourceVersion } = pod.metadata ?? {};
    // A pod that another kind has adopted is not ours to wait for, and no sync would ever forget it.
    if (controller?.kind !== this.#resource.kind || !resourceVersion) return;
    this.#store.wroteAt(joinKey(namespace, controller.name), controller.uid, { resource: PODS, resourceVersion });
  }

  /** Records the server's answer to a status write. */
  wroteOwner(owner: KubeObject): void {
    this.wrote(owner, this.#resource, owner);
  }

  /** Records the server's answer to any other write on behalf of the owner. */
  wrote<T extends KubeObject>(owner: KubeObject, resource: Resource<T>, { metadata }: T): void {
    const { uid } = owner.metadata ?? {};
    const { resourceVersion } = metadata ?? {};
    if (!uid || !resourceVersion) return;
    this.#store.wroteAt(objectKey(owner), uid, { resource, resourceVersion });
  }

  /** Forgets the key; if `uid` is given, only what was recorded for the object with it. */
  clear(key: string, uid?: string): void {
    this.#store.clear(key, uid);
  }
}
