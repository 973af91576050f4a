import { type KubeObject, objectKey, type Resource } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";
import { isDeletionCandidate, needsFinalizer, withFinalizer, withoutFinalizer } from "./finalizers.ts";

/** By what objects are kept, and how long. */
export interface GuardOptions<T extends KubeObject> {
  readonly world: Pick<World, "log">;
  readonly client: Pick<Client, "update">;
  readonly resource: Resource<T>;
  readonly finalizer: string;
  /** Whether an object that is being deleted has to stay for now. */
  isUsed(object: T): boolean | Promise<boolean>;
}

/**
 * Keeps an object from going while it is used: gives it the finalizer unless it is being deleted, and takes it away once it is
 * being deleted and nobody uses it. Both are written with the resource version that was read, so that nothing decided of an old
 * object is written over a new one.
 * Upstream: `pkg/controller/util/protectionutil`, and the controllers that use it.
 *
 * @param object As its cache has it; left as it is.
 * @throws {StatusError} If it could not be written; also what `isUsed` throws.
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
