import { type KubeObject, objectKey, type Resource } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";
import { isDeletionCandidate, needsFinalizer, withFinalizer, withoutFinalizer } from "../running/mod.ts";

/** Which finalizer protects objects, and for how long. */
export interface GuardOptions<T extends KubeObject> {
  readonly world: Pick<World, "log">;
  readonly client: Pick<Client, "update">;
  readonly resource: Resource<T>;
  readonly finalizer: string;
  /** Whether an object that is being deleted has to stay for now. */
  isUsed(object: T): boolean | Promise<boolean>;
}

/**
 * Protects an object while it is in use: adds the finalizer unless the object is being deleted, and removes it once the
 * object is being deleted and no longer in use. Both writes carry the resource version that was read, so a decision
 * about an old object never overwrites a newer one.
 * Upstream: `pkg/controller/util/protectionutil`, and the controllers that use it.
 *
 * @param object From the cache; not modified.
 * @throws {StatusError} If the write fails.
 * @throws What `isUsed` throws.
 */
export async function guard<T extends KubeObject>(object: T, options: GuardOptions<T>): Promise<void> {
  const { world: { log }, client, resource, finalizer } = options;
  if (needsFinalizer(object, finalizer)) {
    await client.update(resource, withFinalizer(object, finalizer));
    log.verbose(3, "Added protection finalizer", { kind: resource.kind, object: objectKey(object) });
  } else if (isDeletionCandidate(object, finalizer)) {
    if (await options.isUsed(object)) {
      log.verbose(2, "Keeping object because it is being used", { kind: resource.kind, object: objectKey(object) });
      return;
    }
    await client.update(resource, withoutFinalizer(object, finalizer));
    log.verbose(3, "Removed protection finalizer", { kind: resource.kind, object: objectKey(object) });
  }
}
