import { getPodCondition, isPodActive } from "../../rules/mod.ts";
import { objectKey, parseTime, type Pod } from "../../api/mod.ts";
import { DISRUPTION_TARGET } from "../pods/mod.ts";
import { byKey } from "../running/mod.ts";
import { resetDisruptionTarget } from "./actions.ts";
import type { DisruptionContext } from "./context.ts";

/** How long a pod may have the condition before its deletion begins. */
const STALE_MS = 2 * 60_000;
/** A kubelet may take any time to end a pod that it has marked with this. */
const BY_KUBELET = "TerminationByKubelet";

/**
 * When a pod's disruption condition becomes stale; 0 if it already is, `undefined` if it has none or is being deleted.
 * Upstream: `pkg/controller/disruption/disruption.go` (nonTerminatingPodHasStaleDisruptionCondition).
 *
 * @param nowMs The wall clock.
 */
export function staleInMs(pod: Pod, nowMs: number): number | undefined {
  if (!isPodActive(pod)) return undefined;
  const condition = getPodCondition(pod, DISRUPTION_TARGET);
  if (condition?.status !== "True" || condition.reason === BY_KUBELET) return undefined;
  const { lastTransitionTime } = condition;
  return lastTransitionTime ? Math.max(0, parseTime(lastTransitionTime) + STALE_MS - nowMs) : 0;
}

/**
 * Resets a pod's stale disruption condition.
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: the write failed, most often because the cache was behind.
 */
export async function syncStalePod(
  key: string,
  { world, client, pods, stalePods }: Pick<
    DisruptionContext,
    "world" | "client" | "pods" | "stalePods"
  >,
): Promise<void> {
  const pod = byKey(pods, key);
  const inMs = pod && staleInMs(pod, world.clock.wallMs());
  if (!pod || inMs === undefined) return;
  if (inMs > 0) return stalePods.addAfter(key, inMs, { due: "the DisruptionTarget condition is stale" });
  await resetDisruptionTarget(pod, { world, client });
  world.log.verbose(2, "Reset stale DisruptionTarget condition to False", { pod: objectKey(pod) });
}
