import { RESOURCECLAIMS, RESOURCEPOOLSTATUSREQUESTS, RESOURCESLICES } from "../../api/mod.ts";
import { waitForCacheSync } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, periodically, queueController, together } from "../running/mod.ts";
import type { PoolStatusContext } from "./context.ts";
import { requestHandler } from "./handlers.ts";
import { RequestMetrics } from "./metrics.ts";
import { removeExpired, syncRequest } from "./sync.ts";

export const NAME = "resourcepoolstatusrequest-controller";
const MAX_RETRIES = 5;
const CLEAN_UP_PERIOD_MS = 10 * 60_000;
const READ_OF_SLICES = ["spec.driver", "spec.pool", "spec.nodeName", "spec.devices.name"];
const READ_OF_CLAIMS = ["status.allocation.devices.results"];

export function buildPoolStatusController(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const { clock, log } = world;
  const requests = informers.informer(RESOURCEPOOLSTATUSREQUESTS);
  const slices = informers.informer(RESOURCESLICES, READ_OF_SLICES);
  const claims = informers.informer(RESOURCECLAIMS, READ_OF_CLAIMS);
  // Upstream's queue has no name, and so no metrics.
  const queue = new WorkQueue({ world });
  const working: PoolStatusContext = {
    world,
    client: context.clients.client(NAME),
    requests: requests.lister,
    slices: slices.lister,
    claims: claims.lister,
    metrics: new RequestMetrics(metrics),
  };
  const caches = [requests.addEventHandler(requestHandler(queue)), slices, claims];
  const answering = queueController({
    name: NAME,
    world,
    journal,
    resource: RESOURCEPOOLSTATUSREQUESTS,
    queue,
    caches,
    workers: 1,
    sync: (key) => syncRequest(key, working),
    onError: (key, err) => {
      if (queue.numRequeues(key) < MAX_RETRIES) {
        log.error("Cannot answer request, will retry", { err, request: key });
        return "retry";
      }
      log.error("Giving up on request until it changes", { err, request: key, retries: MAX_RETRIES });
      return "forget";
    },
  });
  const cleaning: Controller = {
    async run(signal) {
      if (!await waitForCacheSync(signal, ...caches)) return;
      await periodically({ clock, signal, periodMs: CLEAN_UP_PERIOD_MS }, () => removeExpired(working, signal));
    },
  };
  return together(answering, cleaning);
}
