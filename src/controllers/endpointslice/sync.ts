import { TurnBudget } from "../../base/mod.ts";
import { StaleCacheError } from "../../cache/mod.ts";
import { aggregateErrors, byKey } from "../running/mod.ts";
import { selectedPods } from "../service_pods/mod.ts";
import type { EndpointSliceContext } from "./context.ts";
import { reconcile } from "./reconcile.ts";

/**
 * Updates a Service's slices, if it has a selector. Upstream: `pkg/controller/endpointslice` (syncService).
 *
 * @param key `namespace/name`.
 * @throws {StaleCacheError} If the cache does not show what was written for the Service.
 * @throws {Error} If a write failed, or a pod's node is unknown; everything else was done.
 */
export async function syncService(key: string, context: EndpointSliceContext): Promise<void> {
  const { world: { clock }, services, slices, written, triggerTimes, recorder } = context;
  const service = byKey(services, key);
  if (!service) return forget(key, context);
  if (service.spec?.type === "ExternalName" || !service.spec?.selector) return;
  const existing = slices.of(key).filter(({ metadata }) => !metadata?.deletionTimestamp);
  if (written.isStale(key, existing)) throw new StaleCacheError("EndpointSlice informer cache is out of date");
  const pods = await new TurnBudget(clock).run(selectedPods(service, context.pods));
  const triggerTime = triggerTimes.next(service, pods);
  const failure = aggregateErrors(await reconcile({ service, pods, slices: existing, triggerTime }, context));
  if (!failure) return;
  const { namespace, name } = service.metadata ?? {};
  const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${failure.message}`;
  recorder.event(service, "Warning", "FailedToUpdateEndpointSlices", message);
  throw failure;
}

function forget(key: string, { written, triggerTimes, hints, counts, metrics }: EndpointSliceContext): void {
  written.forget(key);
  triggerTimes.forget(key);
  hints.forget(key);
  counts.forget(key);
  metrics.distributes(key, undefined);
}
