import {
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type VolumeAttributesClass,
  VOLUMEATTRIBUTESCLASSES,
} from "../../api/mod.ts";
import { ensureIndexer } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { guard, guardedHandler, type GuardOptions } from "../protection/mod.ts";
import { byKey, type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import { CLAIM_FIELDS, classesOfClaim, classesOfVolume, VOLUME_FIELDS } from "./class_names.ts";
import { userHandler } from "./handlers.ts";

export const NAME = "volumeattributesclass-protection-controller";
export const FINALIZER = "kubernetes.io/vac-protection";
const BY_CLASS = "volumeAttributesClassName";

export function buildAttributesClassProtection(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const classes = informers.informer(VOLUMEATTRIBUTESCLASSES); // unpruned, because they are written back
  const volumes = informers.informer(PERSISTENTVOLUMES, VOLUME_FIELDS);
  const claims = informers.informer(PERSISTENTVOLUMECLAIMS, CLAIM_FIELDS);
  ensureIndexer(volumes, BY_CLASS, classesOfVolume);
  ensureIndexer(claims, BY_CLASS, classesOfClaim);
  const queue = new WorkQueue({ world, name: "vacprotection", metrics });
  const guarding: GuardOptions<VolumeAttributesClass> = {
    world,
    client: context.clients.client(NAME),
    resource: VOLUMEATTRIBUTESCLASSES,
    finalizer: FINALIZER,
    isUsed: ({ metadata }) => {
      const name = metadata?.name ?? "";
      return [volumes, claims].some(({ indexer }) => indexer.byIndex(BY_CLASS, name).length > 0);
    },
  };
  const caches = [
    classes.addEventHandler(guardedHandler({ kind: "volumeattributesclass", finalizer: FINALIZER, queue })),
    volumes.addEventHandler(userHandler({ kind: "persistentvolume", queue, classesOf: classesOfVolume })),
    claims.addEventHandler(userHandler({ kind: "persistentvolumeclaim", queue, classesOf: classesOfClaim })),
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    resource: VOLUMEATTRIBUTESCLASSES,
    queue,
    caches,
    workers: 1,
    sync: async (key) => {
      const volumeClass = byKey(classes.lister, key);
      if (volumeClass) await guard(volumeClass, guarding);
    },
  });
}
