import { TurnBudget } from "../../base/mod.ts";
import { type Endpoints, type EndpointSubset, type Service } from "../../api/mod.ts";
import { StaleCacheError } from "../../cache/mod.ts";
import { countAddresses, repackSubsets, sameSubsets } from "../endpoint_subsets/mod.ts";
import { byKey } from "../running/mod.ts";
import { selectedPods } from "../service_pods/mod.ts";
import { deleteEndpoints, writeEndpoints } from "./actions.ts";
import type { EndpointsContext } from "./context.ts";
import { desiredSubsets } from "./desired_subsets.ts";
import { areLabelsRight, OVER_CAPACITY_ANNOTATION } from "./metadata.ts";

/**
 * Sees to it that the Endpoints of a Service list the pods it selects. Without a selector they are the user's, and those of a
 * Service that is gone go with it.
 * Upstream: `pkg/controller/endpoint/endpoints_controller.go` (syncService).
 *
 * @param key `namespace/name` of the Service, and of its Endpoints.
 * @throws {Error} If the key is to be tried again: a write failed, or the cache is behind the last one.
 */
export async function syncEndpoints(key: string, context: EndpointsContext): Promise<void> {
  const { services, triggerTimes, superseded } = context;
  const service = byKey(services, key);
  if (service) return await update(key, service, context);
  await deleteEndpoints(key, context);
  triggerTimes.forget(key);
  superseded.forget(key);
}

async function update(key: string, service: Service, context: EndpointsContext): Promise<void> {
  const { world: { clock }, endpoints, triggerTimes, superseded } = context;
  const { type, selector } = service.spec ?? {};
  if (type === "ExternalName" || !selector) return;
  const turns = new TurnBudget(clock);
  const selected = await turns.run(selectedPods(service, context.pods));
  // Even if nothing is to be written: the next write is about what happens from now on.
  const triggerTime = triggerTimes.next(service, selected);
  const subsets = await turns.run(desiredSubsets(service, selected));
  const current = byKey(endpoints, key);
  if (current && superseded.isSuperseded(current)) {
    const version = current.metadata?.resourceVersion;
    throw new StaleCacheError(
      `endpoints informer cache is out of date, resource version ${version} already processed for endpoints ${key}`,
    );
  }
  if (current && isMarkedRight(current, service) && await turns.run(haveSubsets(current, subsets))) return;
  await writeEndpoints({ service, current, subsets, triggerTime }, context);
}

/** As upstream, what was cut to size is written again at every sync: it cannot be told from what is no longer right. */
function isMarkedRight({ metadata, subsets = [] }: Endpoints, service: Service): boolean {
  return areLabelsRight(metadata?.labels, service.metadata?.labels) && !countAddresses(subsets).isTooMany &&
    metadata?.annotations?.[OVER_CAPACITY_ANNOTATION] === undefined;
}

/** Whether Endpoints say the same, in whatever order they were written. */
function* haveSubsets({ subsets = [] }: Endpoints, wanted: readonly EndpointSubset[]): Generator<void, boolean> {
  return sameSubsets(subsets, wanted) || sameSubsets(yield* repackSubsets(subsets), wanted);
}
