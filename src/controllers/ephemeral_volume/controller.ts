import { PERSISTENTVOLUMECLAIMS, PODS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { CLAIM_FIELDS_OF_PODS, indexPodsByClaim } from "../pod_volumes/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { EphemeralContext } from "./context.ts";
import { claimHandler, podHandler } from "./handlers.ts";
import { creationMetrics } from "./metrics.ts";
import { syncPod } from "./sync.ts";

export const NAME = "ephemeral-volume-controller";
/** The component in its events. */
const EVENT_COMPONENT = "ephemeral_volume";

export function buildEphemeralVolumes(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, journal } = context;
  const pods = informers.informer(PODS, CLAIM_FIELDS_OF_PODS);
  const claims = informers.informer(PERSISTENTVOLUMECLAIMS, []);
  indexPodsByClaim(pods);
  const queue = new WorkQueue({ world, name: "ephemeral_volume", metrics });
  const working: EphemeralContext = {
    client: context.clients.client(NAME),
    recorder: context.recorder(EVENT_COMPONENT, NAME),
    pods: pods.lister,
    claims: claims.lister,
    metrics: creationMetrics(metrics),
  };
  const caches = [
    pods.addEventHandler(podHandler(queue)),
    claims.addEventHandler(claimHandler(queue, pods.indexer)),
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    resource: PODS,
    queue,
    caches,
    workers,
    sync: (key) => syncPod(key, working),
  });
}
