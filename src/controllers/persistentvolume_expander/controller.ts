import { PERSISTENTVOLUMECLAIMS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { ExpanderContext } from "./context.ts";
import { claimHandler } from "./handlers.ts";
import { operationTimes } from "./metrics.ts";
import { syncClaim } from "./sync.ts";

export const NAME = "persistentvolume-expander-controller";
/** The name of its client and its account. */
export const CLIENT_NAME = "expand-controller";
export const QUEUE = "volume_expand";
/** The component in its events. */
const EVENT_COMPONENT = "volume_expand";
const FIELDS_OF_CLAIMS = ["spec.volumeName", "spec.resources", "status"];
/** Upstream: defaultWorkerCount. */
const WORKERS = 10;

export function buildExpander(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const claims = informers.informer(PERSISTENTVOLUMECLAIMS, FIELDS_OF_CLAIMS);
  const queue = new WorkQueue({ world, name: QUEUE, metrics });
  const working: ExpanderContext = {
    clock: world.clock,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(EVENT_COMPONENT, CLIENT_NAME),
    claims: claims.lister,
    times: operationTimes(metrics),
  };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: PERSISTENTVOLUMECLAIMS,
    queue,
    caches: [claims.addEventHandler(claimHandler(queue))],
    workers: WORKERS,
    sync: (key) => syncClaim(key, working),
  });
}
