import { IPADDRESSES, SERVICECIDRS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import { FIELD_MANAGER } from "./actions.ts";
import type { CidrContext } from "./context.ts";
import { addressHandler, cidrHandler } from "./handlers.ts";
import { syncCidr } from "./sync.ts";

export const NAME = "service-cidr-controller";
export const CLIENT_NAME = "service-cidrs-controller";
const WORKERS = 5;
const MAX_RETRIES = 15;

export function buildServiceCidrController(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const cidrs = informers.informer(SERVICECIDRS);
  const addresses = informers.informer(IPADDRESSES, []);
  const queue = new WorkQueue({ world, name: "ipaddresses", metrics });
  const working: CidrContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(FIELD_MANAGER, CLIENT_NAME),
    cidrs: cidrs.lister,
    addresses: addresses.lister,
    queue,
  };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: SERVICECIDRS,
    queue,
    caches: [cidrs.addEventHandler(cidrHandler(working)), addresses.addEventHandler(addressHandler(working))],
    workers: WORKERS,
    sync: (key) => syncCidr(key, working),
    onError: (key, err) => {
      if (queue.numRequeues(key) < MAX_RETRIES) {
        world.log.verbose(2, "Error syncing ServiceCIDR, retrying", { err, serviceCIDR: key });
        return "retry";
      }
      world.log.error("Dropping ServiceCIDR out of the queue", { err, serviceCIDR: key });
      return "forget";
    },
  });
}
