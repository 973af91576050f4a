import type { World } from "../../base/mod.ts";
import type { OwnerReference } from "../../api/mod.ts";
import { DEFAULT_BACKOFF, isUnsupportedMediaType, retryOnConflict } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { NodeView } from "./graph.ts";
import { type Identity, identityOfOwner, identityText } from "./identity.ts";
import type { CachedObjects, LiveObjects } from "./live_objects.ts";
import type { GarbageFinalizer } from "./transitions.ts";

/** The writes to an object's owner references. */
export class ReferencePatches {
  readonly #live: LiveObjects;
  readonly #cached: CachedObjects;

  constructor({ live, cached }: { live: LiveObjects; cached: CachedObjects }) {
    this.#live = live;
    this.#cached = cached;
  }

  /** Removes the references to `ownerUids` from the object; the others stay. */
  async removeReferences(identity: Identity, ownerUids: readonly string[]): Promise<void> {
    const gone = new Set(ownerUids);
    await this.#patch(identity, {
      metadata: { uid: identity.uid, ownerReferences: ownerUids.map((uid) => ({ $patch: "delete", uid })) },
    }, (owners) => owners.filter(({ uid }) => !gone.has(uid)));
  }

  /** Makes the object stop blocking the deletion of its owners. */
  async unblockOwners({ identity, owners }: Pick<NodeView, "identity" | "owners">): Promise<void> {
    const unblocked = (reference: OwnerReference) => ({ ...reference, blockOwnerDeletion: false });
    const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    await this.#patch(
      identity,
      { metadata: { uid: identity.uid, ownerReferences: blocking.map(unblocked) } },
      (references) => references.map(unblocked),
    );
  }

  /**
   * Custom resources do not support strategic merge patches and answer 415; for them the whole list is replaced,
   * guarded by the resource version it was computed from.
   */
  async #patch(
    identity: Identity,
    strategic: unknown,
    change: (references: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    try {
      return await this.#live.patch(identity, "strategic", strategic);
    } catch (error) {
      if (!serverSays(error, isUnsupportedMediaType)) throw error;
    }
    const metadata = (await this.#cached(identity) ?? await this.#live.get(identity))?.metadata;
    if (!metadata) return; // gone, including its references
    const { resourceVersion } = metadata;
    const ownerReferences = orNull(change(metadata.ownerReferences ?? []));
    await this.#live.patch(identity, "merge", { metadata: { resourceVersion, ownerReferences } });
  }
}

/** In a merge patch, null removes a field; an empty list would be stored. */
function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length > 0 ? list : null;
}

/**
 * Removes `finalizer` from an object, so that its deletion can proceed. Does nothing if the object or the finalizer is
 * gone.
 *
 * @throws {Error} If somebody else changed the object at every try; the caller retries later.
 */
export async function removeFinalizer(
  identity: Identity,
  finalizer: GarbageFinalizer,
  { live, world, signal }: { live: LiveObjects; world: World; signal: AbortSignal },
): Promise<void> {
  await retryOnConflict(world, async () => {
    const metadata = (await live.get(identity))?.metadata;
    if (!metadata?.finalizers?.includes(finalizer)) return;
    const { resourceVersion } = metadata;
    const finalizers = orNull(metadata.finalizers.filter((name) => name !== finalizer));
    await live.patch(identity, "merge", { metadata: { resourceVersion, finalizers } });
  }, { retry: DEFAULT_BACKOFF, signal });
}

/** Records an event on `dependent` that its owner cannot be where the reference implies. */
export function reportInvalidNamespace(recorder: EventRecorder, dependent: NodeView, ownerUid: string): void {
  const reference = dependent.referencesTo(ownerUid)[0];
  if (!reference) return;
  const { namespace } = dependent.identity;
  const owner = identityText(identityOfOwner(reference, namespace));
  recorder.event(
    { ...dependent.identity },
    "Warning",
    "OwnerRefInvalidNamespace",
    `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`,
  );
}
