import {
  CSIDRIVERS,
  NODES,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  VOLUMEATTACHMENTS,
} from "../../api/mod.ts";
import { Deferred } from "../../base/mod.ts";
import { ensureIndexer, NODE_NAME_INDEX, nodeNameOf, type Syncing, waitForNamedCacheSync } from "../../cache/mod.ts";
import { indexPodsByClaim } from "../pod_volumes/mod.ts";
import { type Controller, type ControllerContext, periodically, queueController, together } from "../running/mod.ts";
import { assemble, type Assembly } from "./assembly.ts";
import type { AttachOptions } from "./context.ts";
import { attachmentHandler, claimHandler, nodeHandler, podHandler, volumeHandler } from "./handlers.ts";
import { FIELDS_OF_PODS } from "./pod_volumes.ts";
import { Populator, POPULATOR_PERIOD_MS } from "./populator.ts";
import { recover } from "./recovery.ts";
import { syncAttachment } from "./sync.ts";
import { syncClaim } from "./sync_claim.ts";
import { verifyAttachments } from "./verification.ts";

export const NAME = "persistentvolume-attach-detach-controller";
/** The name of its client, its account, and what its events carry. */
export const CLIENT_NAME = "attachdetach-controller";
const FIELDS_OF_NODES = ["status.volumesAttached", "status.volumesInUse", "status.conditions", "spec.taints"];
const FIELDS_OF_ATTACHMENTS = [
  "spec.nodeName",
  "spec.source.persistentVolumeName",
  "status.attached",
  "status.attachError",
  "status.detachError",
];
/** How many volumes and node statuses are processed at the same time; attaching itself runs in the background. */
const WORKERS = 10;

/** Registers informers and handlers. */
export function buildAttachDetach(context: ControllerContext, options: AttachOptions): Controller {
  const { world, informers } = context;
  const pods = informers.informer(PODS, FIELDS_OF_PODS);
  const nodes = informers.informer(NODES, FIELDS_OF_NODES);
  const claims = informers.informer(PERSISTENTVOLUMECLAIMS, ["spec.volumeName", "status.phase"]);
  const volumes = informers.informer(PERSISTENTVOLUMES, ["spec"]);
  const drivers = informers.informer(CSIDRIVERS, ["spec.attachRequired"]);
  const attachments = informers.informer(VOLUMEATTACHMENTS, FIELDS_OF_ATTACHMENTS);
  indexPodsByClaim(pods);
  ensureIndexer(pods, NODE_NAME_INDEX, nodeNameOf);

  const stop = new AbortController();
  const assembly = assemble({
    context,
    options,
    name: CLIENT_NAME,
    signal: stop.signal,
    listers: {
      podLister: pods.lister,
      nodes: nodes.lister,
      claims: claims.lister,
      volumes: volumes.lister,
      drivers: drivers.lister,
      attachments: attachments.lister,
    },
  });
  const { working, queue, claimQueue, watch } = assembly;
  const handling = { ...working, budget: assembly.budget, pods: pods.indexer, queue };
  const caches = [
    nodes.addEventHandler(nodeHandler(handling)),
    volumes.addEventHandler(volumeHandler(claimQueue)),
    claims.addEventHandler(claimHandler(claimQueue)),
    pods.addEventHandler(podHandler(handling)),
    attachments.addEventHandler(attachmentHandler(watch)),
    drivers,
  ];
  const recovered = new Deferred();
  const { log } = world;
  const recovering = {
    ...handling,
    log,
    nodeLister: nodes.lister,
    podLister: pods.lister,
    attachments: attachments.lister,
  };
  const queues = together(...workingOff(assembly, context, { pods: pods.indexer, recovered: recovered.promise }));
  const populator = new Populator({ ...working, podLister: pods.lister }, assembly.budget);
  return {
    async run(signal) {
      signal.addEventListener("abort", () => stop.abort(signal.reason), { once: true });
      if (signal.aborted) stop.abort(signal.reason);
      const ending = queues.run(signal);
      if (await waitForNamedCacheSync({ log, name: NAME, signal }, ...caches)) {
        await assembly.flexVolumes.refresh();
        await assembly.budget.run(recover(recovering));
        recovered.resolve();
        await lookingAround(assembly, populator, signal);
      }
      await ending;
      await working.operations.idle();
    },
  };
}

/** The queues, none of which is processed before recovery has finished. */
function workingOff(
  { working, budget, queue, nodeQueue, claimQueue }: Assembly,
  { world, journal }: ControllerContext,
  { pods, recovered }: {
    readonly pods: Parameters<typeof syncClaim>[1]["pods"];
    readonly recovered: Promise<void>;
  },
): Controller[] {
  const caches: Syncing[] = [{ whenSynced: recovered }];
  const common = { world, journal, caches };
  return [
    queueController({
      ...common,
      name: NAME,
      queue,
      workers: WORKERS,
      sync: (key) => syncAttachment(key, working),
    }),
    queueController({
      ...common,
      name: `${NAME}/nodes`,
      resource: NODES,
      queue: nodeQueue,
      workers: WORKERS,
      sync: (name) => working.reports.publish(name),
    }),
    queueController({
      ...common,
      name: `${NAME}/claims`,
      resource: PERSISTENTVOLUMECLAIMS,
      queue: claimQueue,
      workers: 1,
      sync: (key) => budget.run(syncClaim(key, { ...working, pods })),
    }),
  ];
}

/** Periodic work. */
async function lookingAround(
  { working, flexVolumes, budget }: Assembly,
  populator: Populator,
  signal: AbortSignal,
): Promise<void> {
  const { world: { clock }, options } = working;
  await Promise.all([
    periodically(
      { clock, signal, periodMs: POPULATOR_PERIOD_MS },
      async () => await populator.pass(await flexVolumes.refresh()),
    ),
    options.reconcilesNever ||
    periodically({ clock, signal, periodMs: options.reconcilePeriodMs }, () => verifyAttachments(working, budget)),
  ]);
}
