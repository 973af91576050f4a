import { type PersistentVolume, PERSISTENTVOLUMES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { guard, guardedHandler, type GuardOptions } from "../protection/mod.ts";
import { byKey, type Controller, type ControllerContext, queueController } from "../running/mod.ts";

export const NAME = "persistentvolume-protection-controller";
export const CLIENT_NAME = "pv-protection-controller";
export const FINALIZER = "kubernetes.io/pv-protection";

export function buildVolumeProtection(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const volumes = informers.informer(PERSISTENTVOLUMES); // whole: they are written back
  const queue = new WorkQueue({ world, name: "pvprotection", metrics });
  const guarding: GuardOptions<PersistentVolume> = {
    world,
    client: context.clients.client(CLIENT_NAME),
    resource: PERSISTENTVOLUMES,
    finalizer: FINALIZER,
    // The phase that the binder sets counts, not the reference to a claim: the binder may still have work after the
    // claim is gone.
    isUsed: ({ status }) => status?.phase === "Bound",
  };
  const handler = guardedHandler({ kind: "persistentvolume", finalizer: FINALIZER, queue });
  return queueController({
    name: NAME,
    world,
    journal,
    resource: PERSISTENTVOLUMES,
    queue,
    caches: [volumes.addEventHandler(handler)],
    workers: 1,
    sync: async (key) => {
      const volume = byKey(volumes.lister, key);
      if (volume) await guard(volume, guarding);
    },
  });
}
