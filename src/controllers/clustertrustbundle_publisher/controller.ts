import { WorkQueue } from "../../workqueue/mod.ts";
import { readCertificates } from "../../x509/mod.ts";
import { SYNC_BUCKETS_SECONDS, SyncMetrics } from "../certificates/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import { publish, type Writing } from "./actions.ts";
import { bundleName, publication, SIGNER } from "./bundle.ts";
import { bundleHandler, KEY } from "./handlers.ts";
import { servedVersion } from "./served_version.ts";

export const NAME = "kube-apiserver-serving-clustertrustbundle-publisher-controller";
export const CLIENT_NAME = "kube-apiserver-serving-clustertrustbundle-publisher";
export const QUEUE = "ca_cert_publisher_cluster_trust_bundles";
/** The published file, which is read only when the process starts. */
export const ROOT_CA = "root-ca-file";
/** Only this signer's bundles are watched. */
export const SCOPE = { fieldSelector: `spec.signerName=${SIGNER}` };

/** @throws {Error} If there are no certificates to publish, or discovery fails. */
export async function buildBundlePublisher(context: ControllerContext): Promise<Controller | undefined> {
  const { world, metrics, informers, journal, clients, discovery } = context;
  const { log, clock } = world;
  const text = context.files.text(ROOT_CA);
  if (text === "") return undefined;
  readCertificates(text);
  const resource = await servedVersion(discovery);
  if (!resource) {
    log.info(
      "no known scheme version was found for clustertrustbundles, cannot start kube-apiserver-serving-clustertrustbundle-publisher-controller",
    );
    return undefined;
  }
  const name = bundleName(text);
  const bundles = informers.informer(resource, undefined, SCOPE);
  const queue = new WorkQueue({ world, name: QUEUE, metrics });
  const measure = new SyncMetrics(clock, {
    total: metrics.counter({
      name: "clustertrustbundle_publisher_sync_total",
      help: "Number of syncs that occurred in cluster trust bundle publisher.",
      labels: ["code"],
    }),
    duration: metrics.histogram({
      name: "clustertrustbundle_publisher_sync_duration_seconds",
      help: "The time it took to sync a cluster trust bundle.",
      labels: ["code"],
      buckets: SYNC_BUCKETS_SECONDS,
    }),
  });
  const writing: Writing = { client: clients.client(CLIENT_NAME), log, resource };
  const caches = [bundles.addEventHandler(bundleHandler(queue))];
  queue.add(KEY);
  return queueController({
    name: NAME,
    world,
    journal,
    resource,
    queue,
    caches,
    workers: 1,
    sync: () => measure.run(() => publish(publication(bundles.lister.list(), { name, text }), writing)),
  });
}
