import { Backoff, sleep, type World } from "../../base/mod.ts";
import { isConflict } from "../../client/mod.ts";
import type { Identity } from "./identity.ts";
import type { LiveObjects } from "./live_objects.ts";
import { orNull } from "./patches.ts";
import type { GarbageFinalizer } from "./transitions.ts";

/** Upstream's `retry.DefaultBackoff`: for conflicts with writers that are active. */
const TRIES = 4;
const BACKOFF = { initialMs: 10, capMs: 10_000, factor: 5, jitter: 0.1 };

/**
 * Takes `finalizer` off an object, so that its deletion can go on. An object that is gone, or has lost the finalizer
 * already, is done.
 *
 * @throws {Error} If somebody else changed the object at every try; the caller retries later.
 */
export async function removeFinalizer(
  identity: Identity,
  finalizer: GarbageFinalizer,
  { live, world }: { live: LiveObjects; world: World },
): Promise<void> {
  const backoff = new Backoff(world, BACKOFF);
  for (let attempt = 1;; attempt++) {
    const metadata = (await live.get(identity))?.metadata;
    if (!metadata?.finalizers?.includes(finalizer)) return;
    const { resourceVersion } = metadata;
    const finalizers = orNull(metadata.finalizers.filter((name) => name !== finalizer));
    try {
      return await live.patch(identity, "merge", { metadata: { resourceVersion, finalizers } });
    } catch (error) {
      if (!isConflict(error) || attempt === TRIES) throw error;
    }
    await sleep(world.clock, backoff.nextMs());
  }
}
