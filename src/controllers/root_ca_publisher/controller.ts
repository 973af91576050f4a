import { CONFIGMAPS, NAMESPACES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { SyncMetrics } from "../certificates/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { PublisherContext } from "./context.ts";
import { configMapHandler, namespaceHandler } from "./handlers.ts";
import { syncRootCa } from "./sync.ts";

export const NAME = "root-ca-certificate-publisher-controller";
export const CLIENT_NAME = "root-ca-cert-publisher";
/** What it publishes is read when the process starts, and stays so. */
export const ROOT_CA = "root-ca-file";

/** Upstream says the same of both metrics. */
const HELP = "Number of namespace syncs happened in root ca cert publisher.";

export function buildRootCaPublisher(context: ControllerContext): Controller {
  const { world, metrics, informers, files, journal } = context;
  const configMaps = informers.informer(CONFIGMAPS);

  const queue = new WorkQueue({ world, name: "root_ca_cert_publisher", metrics });
  const syncing: PublisherContext = {
    client: context.clients.client(CLIENT_NAME),
    configMaps: configMaps.lister,
    rootCaText: files.text(ROOT_CA),
  };
  const measure = new SyncMetrics({
    metrics,
    clock: world.clock,
    prefix: "root_ca_cert_publisher",
    totalHelp: HELP,
    durationHelp: HELP,
  });
  // Namespaces are not waited for: their cache is never read.
  informers.informer(NAMESPACES).addEventHandler(namespaceHandler(queue));
  const caches = [configMaps.addEventHandler(configMapHandler(queue))];
  return queueController({
    name: NAME,
    world,
    journal,
    resource: NAMESPACES,
    queue,
    caches,
    workers: 1,
    sync: (key) => measure.run(() => syncRootCa(key, syncing)),
  });
}
