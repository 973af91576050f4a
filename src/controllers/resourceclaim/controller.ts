import { PODGROUPS, PODS, RESOURCECLAIMS, RESOURCECLAIMTEMPLATES } from "../../api/mod.ts";
import { LruMap, TurnBudget } from "../../base/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { GROUP_CLAIMS_GATE } from "../device_claims/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { ClaimContext, HandlerContext } from "./context.ts";
import { CreatedClaims } from "./created_claims.ts";
import { CLAIM_KEY, claimHandler, GROUP_KEY, groupHandler, POD_KEY, podHandler, templateHandler } from "./handlers.ts";
import { addIndexes, FIELDS_OF_GROUPS, FIELDS_OF_PODS } from "./indexes.ts";
import { claimMetrics, counted } from "./metrics.ts";
import { syncClaim } from "./sync_claim.ts";
import { syncGroup } from "./sync_group.ts";
import { syncPod } from "./sync_pod.ts";

export const NAME = "resourceclaim-controller";
export const CLIENT_NAME = "resource-claim-controller";
/** The component in its events. */
const EVENT_COMPONENT = "resource_claim";
/** How many deleted pods and groups are remembered, which saves requests to the API server. */
const GONE = 500;

export function buildResourceClaims(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, journal, gates } = context;
  const pods = informers.informer(PODS, FIELDS_OF_PODS);
  const claims = informers.informer(RESOURCECLAIMS); // whole: they are written back
  const templates = informers.informer(RESOURCECLAIMTEMPLATES, ["spec"]);
  const groups = gates.has(GROUP_CLAIMS_GATE) ? informers.informer(PODGROUPS, FIELDS_OF_GROUPS) : undefined;
  addIndexes({ pods, groups, claims });

  const queue = new WorkQueue({ world, name: "resource_claim", metrics });
  const created = new CreatedClaims(world.clock, claims.indexer);
  const gone = new LruMap<string, true>(GONE);
  const working: ClaimContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(EVENT_COMPONENT, CLIENT_NAME),
    pods: pods.indexer,
    claims: claims.lister,
    groups: groups?.indexer,
    templates: templates.lister,
    created,
    gone,
    metrics: claimMetrics(metrics),
    gates,
  };
  const handling: HandlerContext = {
    queue,
    pods: pods.indexer,
    claims: claims.lister,
    groups: groups?.indexer,
    gone,
    created,
    budget: new TurnBudget(world.clock),
  };
  const caches = [
    pods.addEventHandler(podHandler(handling)),
    claims.addEventHandler(counted(claimHandler(handling), working.metrics)),
    templates.addEventHandler(templateHandler(handling)),
    ...groups ? [groups.addEventHandler(groupHandler(handling))] : [],
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    queue,
    caches,
    workers,
    sync: (key, { signal }) => {
      if (key.startsWith(POD_KEY)) return syncPod(key.slice(POD_KEY.length), working, signal);
      if (key.startsWith(GROUP_KEY)) return syncGroup(key.slice(GROUP_KEY.length), working, signal);
      return syncClaim(key.slice(CLAIM_KEY.length), working, signal);
    },
  });
}
