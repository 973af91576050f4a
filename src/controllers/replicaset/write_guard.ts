import { controllerOf, joinKey, objectKey, type Pod, PODS, type Resource } from "../../api/mod.ts";
import type { ConsistencyStore } from "../../cache/mod.ts";
import type { ReplicaOwner } from "./kind.ts";

/** Keeps a sync from acting on caches that do not show this controller's own last writes yet. */
export class WriteGuard {
  readonly #store: ConsistencyStore;
  readonly #resource: Resource;

  /** @param resource The owners' resource. */
  constructor(store: ConsistencyStore, resource: Resource) {
    this.#store = store;
    this.#resource = resource;
  }

  /** @throws {StaleCacheError} If a cache is behind a write recorded for this key. */
  ensureReady(key: string): void {
    this.#store.ensureReady(key);
  }

  /** Records the server's answer to creating, adopting or releasing a pod, for the controller the pod has by now. */
  wrotePod(pod: Pod): void {
    const controller = controllerOf(pod);
    const { namespace, resourceVersion } = pod.metadata ?? {};
    // What another kind has taken over is not ours to wait for, and no sync would ever forget it.
    if (controller?.kind !== this.#resource.kind || !resourceVersion) return;
    this.#store.wroteAt(joinKey(namespace, controller.name), controller.uid, { resource: PODS, resourceVersion });
  }

  /** Records the server's answer to a status write. */
  wroteOwner(owner: ReplicaOwner): void {
    const { uid, resourceVersion } = owner.metadata ?? {};
    if (!uid || !resourceVersion) return;
    this.#store.wroteAt(objectKey(owner), uid, { resource: this.#resource, resourceVersion });
  }

  /** Forgets the key; if `uid` is given, only what was recorded for the object with it. */
  clear(key: string, uid?: string): void {
    this.#store.clear(key, uid);
  }
}
