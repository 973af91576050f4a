import { TurnBudget } from "../../base/mod.ts";
import type { Endpoints } from "../../api/mod.ts";
import { StaleCacheError } from "../../cache/mod.ts";
import { writeSlices } from "../endpoint_slices/mod.ts";
import { byKey } from "../running/mod.ts";
import { removeMirror } from "./actions.ts";
import type { MirroringContext } from "./context.ts";
import { type DesiredMirror, desiredMirror } from "./desired_mirror.ts";
import { isMirrorable } from "./mirrorable.ts";
import { planMirror } from "./mirror_plan.ts";

/**
 * Updates the slices that mirror Endpoints, or deletes them if the Endpoints must not be mirrored.
 * Upstream: `pkg/controller/endpointslicemirroring` (syncEndpoints).
 *
 * @param key `namespace/name` of the Endpoints, and so of its Service.
 * @throws {StaleCacheError} If the cache does not show what was written for it.
 * @throws {Error} If a write failed.
 */
export async function syncEndpoints(key: string, context: MirroringContext): Promise<void> {
  const { world: { clock }, endpoints, services, slices, written, mostEndpoints } = context;
  const source = byKey(endpoints, key);
  const service = byKey(services, key);
  if (!source || !isMirrorable(source) || !service || service.spec?.selector) return await removeMirror(key, context);
  const existing = slices.of(key);
  if (written.isStale(key, existing)) throw new StaleCacheError("EndpointSlice informer cache is out of date");
  const desired = await new TurnBudget(clock).run(desiredMirror(source, mostEndpoints));
  tell(source, desired, context);
  const plan = planMirror(source, existing, { groups: desired.groups, mostEndpoints });
  context.counts.synced(plan);
  context.metrics.updated(plan.updated);
  context.counts.count(key, plan.counts);
  for (const slice of plan.kept) if (!written.isKnown(slice)) written.wrote(slice);
  await writeSlices(plan, {
    ...context,
    owner: `Endpoints ${key}`,
    ownerIsGoing: Boolean(source.metadata?.deletionTimestamp),
    mayRecycle: () => true,
  });
}

function tell(
  source: Endpoints,
  { invalid, skipped }: DesiredMirror,
  { recorder, metrics, mostEndpoints }: MirroringContext,
): void {
  metrics.skipped(skipped);
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    recorder.event(source, "Warning", "InvalidIPAddress", message);
  }
  if (skipped > invalid) {
    const message = `A max of ${mostEndpoints} addresses can be mirrored to EndpointSlices per Endpoints subset. ` +
      `${skipped} addresses were skipped`;
    recorder.event(source, "Warning", "TooManyAddressesToMirror", message);
  }
}
