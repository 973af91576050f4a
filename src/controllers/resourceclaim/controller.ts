import { PODS, RESOURCECLAIMS, RESOURCECLAIMTEMPLATES } from "../../api/mod.ts";
import { LruMap } from "../../base/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { ClaimContext, HandlerContext } from "./context.ts";
import { CreatedClaims } from "./created_claims.ts";
import { CLAIM_KEY, claimHandler, POD_KEY, podHandler, templateHandler } from "./handlers.ts";
import { addIndexes, FIELDS_OF_PODS } from "./indexes.ts";
import { claimMetrics, countingHandler } from "./metrics.ts";
import { syncClaim } from "./sync_claim.ts";
import { syncPod } from "./sync_pod.ts";

export const NAME = "resourceclaim-controller";
export const CLIENT_NAME = "resource-claim-controller";
/** What its events carry. */
const EVENT_COMPONENT = "resource_claim";
/** Of so many pods it is remembered that they are gone, which saves asking the API server. */
const GONE_PODS = 500;

export function buildResourceClaims(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, journal, gates } = context;
  const pods = informers.informer(PODS, FIELDS_OF_PODS);
  const claims = informers.informer(RESOURCECLAIMS); // whole: they are written back
  const templates = informers.informer(RESOURCECLAIMTEMPLATES, ["spec"]);
  addIndexes({ pods, claims });

  const queue = new WorkQueue({ world, name: "resource_claim", metrics });
  const created = new CreatedClaims(world.clock, claims.indexer);
  const gonePods = new LruMap<string, true>(GONE_PODS);
  const working: ClaimContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(EVENT_COMPONENT, CLIENT_NAME),
    pods: pods.lister,
    claims: claims.lister,
    templates: templates.lister,
    created,
    gonePods,
    metrics: claimMetrics(metrics),
    gates,
  };
  const handling: HandlerContext = { queue, pods: pods.indexer, claims: claims.lister, gonePods, created };
  claims.addEventHandler(countingHandler(working.metrics));
  const caches = [
    pods.addEventHandler(podHandler(handling)),
    claims.addEventHandler(claimHandler(handling)),
    templates.addEventHandler(templateHandler(handling)),
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    queue,
    caches,
    workers,
    sync: (key, { signal }) =>
      key.startsWith(POD_KEY)
        ? syncPod(key.slice(POD_KEY.length), working, signal)
        : syncClaim(key.slice(CLAIM_KEY.length), working, signal),
  });
}
