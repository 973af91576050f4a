import { joinKey, type PersistentVolume, type PersistentVolumeClaim } from "../../api/mod.ts";
import { liveClaim } from "./actions.ts";
import type { BinderContext } from "./context.ts";

/**
 * Whether no claim has a volume any more: the last check before its data is deleted. What caches lack is read from the
 * API server, which upstream does not do here.
 *
 * @param live As the API server has it.
 * @throws {Error} If the API server does not say.
 */
export async function isFree(
  live: PersistentVolume,
  context: Pick<BinderContext, "claims" | "client">,
): Promise<boolean> {
  const ref = live.spec?.claimRef;
  if (!ref?.uid) return false;
  const isItsClaim = (claim: PersistentVolumeClaim | undefined) => claim?.metadata?.uid === ref.uid;
  const cached = context.claims.get(joinKey(ref.namespace, ref.name ?? ""));
  const claim = isItsClaim(cached) ? cached : await liveClaim(ref, context);
  if (!claim || !isItsClaim(claim)) return true;
  const { volumeName } = claim.spec ?? {};
  return Boolean(volumeName) && volumeName !== live.metadata?.name;
}
