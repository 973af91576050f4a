import { PERSISTENTVOLUMECLAIMS, PODS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { indexPodsByClaim } from "../pod_volumes/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { ProtectionContext } from "./context.ts";
import { claimHandler, podHandler } from "./handlers.ts";
import { LivePods } from "./live_pods.ts";
import { NamespaceBatches } from "./namespace_batches.ts";
import { syncClaim } from "./sync.ts";
import { FIELDS_OF_PODS } from "./usage.ts";

export const NAME = "persistentvolumeclaim-protection-controller";
export const CLIENT_NAME = "pvc-protection-controller";

export function buildClaimProtection(context: ControllerContext): Controller {
  const { world, metrics, informers, journal, gates } = context;
  const claims = informers.informer(PERSISTENTVOLUMECLAIMS); // whole: they are written back
  const pods = informers.informer(PODS, FIELDS_OF_PODS);
  indexPodsByClaim(pods);

  const queue = new WorkQueue({ world, name: "pvcprotection", metrics });
  const client = context.clients.client(CLIENT_NAME);
  const tellsUnused = gates.has("PersistentVolumeClaimUnusedSinceTime");
  const working: ProtectionContext = { world, client, claims: claims.lister, pods: pods.indexer, tellsUnused };
  const batches = new NamespaceBatches(queue, (namespace) => new LivePods({ client, namespace }));
  const caches = [
    claims.addEventHandler(claimHandler({ queue, tellsUnused })),
    pods.addEventHandler(podHandler({ queue, tellsUnused })),
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    resource: PERSISTENTVOLUMECLAIMS,
    queue: batches,
    caches,
    workers: 1,
    sync: (key, { signal }) => syncClaim(key, working, { livePods: batches.current, signal }),
  });
}
