import { CONFIGMAPS, NAMESPACES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import {
  type Controller,
  type ControllerContext,
  type ControllerDescriptor,
  defineController,
  queueController,
} from "../running/mod.ts";
import { configMapHandler, namespaceHandler } from "./handlers.ts";
import { PublicationMetrics } from "./publication_metrics.ts";
import { type PublisherContext, syncRootCa } from "./sync.ts";

const NAME = "root-ca-certificate-publisher-controller";
/** What it publishes is read when the process starts, and stays so. */
const ROOT_CA = "root-ca-file";

/**
 * Keeps the ConfigMap `kube-root-ca.crt` in every namespace. Keys are names of namespaces.
 * Upstream: `pkg/controller/certificates/rootcacertpublisher/publisher.go`.
 */
export const ROOT_CA_PUBLISHER_CONTROLLER: ControllerDescriptor = defineController(
  NAME,
  buildRootCaPublisher,
  { files: [ROOT_CA] },
);

function buildRootCaPublisher(context: ControllerContext): Controller {
  const { world, metrics, informers, files, journal } = context;
  const configMaps = informers.informer(CONFIGMAPS);

  const queue = new WorkQueue({ world, name: "root_ca_cert_publisher", metrics });
  const syncing: PublisherContext = {
    client: context.clients.client("root-ca-cert-publisher"),
    configMaps: configMaps.lister,
    rootCaText: files.text(ROOT_CA),
  };
  const measure = new PublicationMetrics(metrics, world.clock);
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
