import { CONFIGMAPS, NAMESPACES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { SYNC_BUCKETS_SECONDS, SyncMetrics } from "../certificates/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { PublisherContext } from "./context.ts";
import { configMapHandler, namespaceHandler } from "./handlers.ts";
import { syncRootCa } from "./sync.ts";

export const NAME = "root-ca-certificate-publisher-controller";
export const CLIENT_NAME = "root-ca-cert-publisher";
/** The published file, which is read only when the process starts. */
export const ROOT_CA = "root-ca-file";

export function buildRootCaPublisher(context: ControllerContext): Controller {
  const { world, metrics, informers, files, journal } = context;
  const configMaps = informers.informer(CONFIGMAPS);

  const queue = new WorkQueue({ world, name: "root_ca_cert_publisher", metrics });
  const syncing: PublisherContext = {
    client: context.clients.client(CLIENT_NAME),
    configMaps: configMaps.lister,
    rootCaText: files.text(ROOT_CA),
  };
  const common = { help: "Number of namespace syncs happened in root ca cert publisher.", labels: ["code"] };
  const measure = new SyncMetrics(world.clock, {
    total: metrics.counter({ name: "root_ca_cert_publisher_sync_total", ...common }),
    duration: metrics.histogram({
      name: "root_ca_cert_publisher_sync_duration_seconds",
      ...common,
      buckets: SYNC_BUCKETS_SECONDS,
    }),
  });
  // Does not wait for namespaces, because their cache is never read.
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
