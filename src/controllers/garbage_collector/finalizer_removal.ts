import type { World } from "../../base/mod.ts";
import { DEFAULT_BACKOFF, retryOnConflict } from "../../client/mod.ts";
import type { Identity } from "./identity.ts";
import type { LiveObjects } from "./live_objects.ts";
import { orNull } from "./patches.ts";
import type { GarbageFinalizer } from "./transitions.ts";

/**
 * Takes `finalizer` off an object, so that its deletion can go on. An object that is gone, or has lost the finalizer
 * already, is done.
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
