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
 * Updates a Service's Endpoints to list the pods that it selects. Without a selector they belong to the user. Endpoints
 * of a deleted Service are deleted.
 * Upstream: `pkg/controller/endpoint/endpoints_controller.go` (syncService).
 *
 * @param key `namespace/name` of the Service, and of its Endpoints.
 * @throws {Error} If the key must be retried: a write failed, or the cache is behind the last one.
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
  // Even without a write: the next write concerns later changes.
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

/**
 * As upstream, truncated Endpoints are written again at every sync, because they cannot be distinguished from outdated
 * ones.
 */
function isMarkedRight({ metadata, subsets = [] }: Endpoints, service: Service): boolean {
  return areLabelsRight(metadata?.labels, service.metadata?.labels) && !countAddresses(subsets).isTooMany &&
    metadata?.annotations?.[OVER_CAPACITY_ANNOTATION] === undefined;
}

/** Whether Endpoints have the same content, in any order. */
function* haveSubsets({ subsets = [] }: Endpoints, wanted: readonly EndpointSubset[]): Generator<void, boolean> {
  return sameSubsets(subsets, wanted) || sameSubsets(yield* repackSubsets(subsets), wanted);
}
