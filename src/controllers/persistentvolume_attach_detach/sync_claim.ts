import type { PersistentVolumeClaim, Pod } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import { podsNaming } from "../pod_volumes/mod.ts";
import { byKey } from "../running/mod.ts";
import { notingPod, type WantingContext } from "./pod_volumes.ts";

/** Where to look up a claim that may be bound by now. */
export interface ClaimContext extends WantingContext {
  readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
}

/**
 * Notes what the pods of a claim want once it is bound. Upstream: `attachdetach/attach_detach_controller.go`
 * (syncPVCByKey).
 */
export function* syncClaim(key: string, context: ClaimContext): Generator<void, void> {
  const claim = byKey(context.claims, key);
  if (!claim?.spec?.volumeName || claim.status?.phase !== "Bound") return;
  for (const pod of podsNaming(context.pods, key)) yield* notingPod(pod, context);
}
