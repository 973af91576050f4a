import { CONFIGMAPS, joinKey, SECRETS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, type InformerNeed, queueController } from "../running/mod.ts";
import { BOOTSTRAP_TOKENS } from "../token_secrets/mod.ts";
import type { SignerContext } from "./context.ts";
import { configMapHandler, tokenHandler } from "./handlers.ts";
import { syncSignatures } from "./sync.ts";

export const NAME = "bootstrap-signer-controller";
export const CLIENT_NAME = "bootstrap-signer";
export const QUEUE = "bootstrap_signer_queue";

const CLUSTER_INFO_NAME = "cluster-info";
/** The ConfigMap that joining nodes read. */
export const CLUSTER_INFO = {
  resource: CONFIGMAPS,
  namespace: "kube-public",
  fieldSelector: `metadata.name=${CLUSTER_INFO_NAME}`,
} as const satisfies InformerNeed;

const NO_RESYNC = { resyncPeriodMs: 0 };

export function buildBootstrapSigner(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const configMaps = informers.informer(CONFIGMAPS, undefined, CLUSTER_INFO);
  const secrets = informers.informer(SECRETS, ["type", "data"], BOOTSTRAP_TOKENS);
  const queue = new WorkQueue({ world, name: QUEUE, metrics });
  const syncing: SignerContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    configMaps: configMaps.lister,
    secrets: secrets.lister,
  };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: CONFIGMAPS,
    queue,
    caches: [
      configMaps.addEventHandler(configMapHandler(queue), NO_RESYNC),
      secrets.addEventHandler(tokenHandler(queue, joinKey(CLUSTER_INFO.namespace, CLUSTER_INFO_NAME)), NO_RESYNC),
    ],
    workers: 1,
    sync: (key) => syncSignatures(key, syncing),
  });
}
