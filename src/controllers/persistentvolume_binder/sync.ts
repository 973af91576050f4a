import { joinKey } from "../../api/mod.ts";
import type { BinderContext } from "./context.ts";
import { syncClaim } from "./sync_claim.ts";
import { syncVolume } from "./sync_volume.ts";

/**
 * Looks at the volume of that name, or at the claim that has lost it.
 *
 * @throws {Error} If the key must be retried.
 */
export async function syncVolumeKey(name: string, context: BinderContext): Promise<void> {
  const { volumes, shownVolumes, claimQueue, times } = context;
  const shown = shownVolumes.get(name);
  if (shown) return volumes.store(shown) ? await syncVolume(shown, context) : undefined;
  if (!volumes.isBehind(name, shownVolumes)) return;
  const ref = volumes.remove(name)?.spec?.claimRef;
  times.succeeded(name);
  if (ref) claimQueue.add(joinKey(ref.namespace, ref.name ?? ""), `volume ${name} is gone`);
}

/**
 * Looks at the claim with that key, or at the volume that it has left behind.
 *
 * @throws {Error} If the key must be retried.
 */
export async function syncClaimKey(key: string, context: BinderContext): Promise<void> {
  const { claims, shownClaims, volumeQueue, times } = context;
  const shown = shownClaims.get(key);
  if (shown) return claims.store(shown) ? await syncClaim(shown, context) : undefined;
  if (!claims.isBehind(key, shownClaims)) return;
  const volumeName = claims.remove(key)?.spec?.volumeName;
  times.drop(key);
  if (volumeName) volumeQueue.add(volumeName, `claim ${key} is gone`);
}
