import type { PersistentVolume } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { migratedDriverOf, type VolumePlugin } from "../volumes/mod.ts";
import { deleteVolume, liveVolume, setPhase, writeVolume } from "./actions.ts";
import { inBackground } from "./background.ts";
import type { BinderContext } from "./context.ts";
import { foundUnlessExternal } from "./external.ts";
import { NOT_AVAILABLE } from "./metrics.ts";
import { withFinalizers } from "./migration.ts";
import { annotationOf, IN_TREE_FINALIZER, isAnnotated, MIGRATED_TO, PROVISIONED_BY } from "./names.ts";
import { isFree } from "./release_check.ts";
import { timed } from "./timed.ts";

/** Deletes a volume's storage, then the volume, in the background. */
export function deleteInBackground(volume: PersistentVolume, context: BinderContext): void {
  const { name = "", uid } = volume.metadata ?? {};
  context.times.begin(name, "delete", () => provisionerOf(volume, context));
  inBackground({ name: `delete-${name}[${uid}]`, kind: "PersistentVolume", key: name }, context, async () => {
    try {
      await deleteWithStorage(volume, context);
    } catch (error) {
      context.times.failed(name);
      throw error;
    }
  });
}

async function deleteWithStorage(volume: PersistentVolume, context: BinderContext): Promise<void> {
  const fail = (reason: unknown) =>
    setPhase(volume, "Failed", context, { reason: "VolumeFailedDelete", message: errorText(reason) });
  let plugin;
  try {
    plugin = deleterOf(volume, context);
  } catch (error) {
    await fail(error);
    return;
  }
  if (!plugin || !await isToBeDeleted(volume, context)) return;
  try {
    await deleteStorage(volume, plugin, context);
  } catch (error) {
    if (!context.signal.aborted) await fail(error);
    throw error;
  }
  await deleteVolume(volume, context).catch((err) => {
    context.world.log.info("A volume whose storage is gone cannot be deleted yet", {
      volume: volume.metadata?.name,
      err,
    });
  });
}

/** If the API server cannot be reached, a later sync asks again. */
async function isToBeDeleted(volume: PersistentVolume, context: BinderContext): Promise<boolean> {
  try {
    const live = await liveVolume(volume.metadata?.name ?? "", context);
    return live !== undefined && live.metadata?.uid === volume.metadata?.uid && await isFree(live, context);
  } catch (err) {
    context.world.log.verbose(3, "Whether a volume is free is not known", { volume: volume.metadata?.name, err });
    return false;
  }
}

/**
 * The plug-in that deletes the storage of a volume; `undefined` if somebody else does.
 *
 * @throws {Error} If nobody does.
 */
function deleterOf(volume: PersistentVolume, { plugins }: Pick<BinderContext, "plugins">): VolumePlugin | undefined {
  const provisioner = annotationOf(volume, PROVISIONED_BY);
  if (provisioner) {
    return foundUnlessExternal(provisioner, () => plugins.byName(provisioner, "deletes"));
  }
  if (isAnnotated(volume, MIGRATED_TO) || volume.spec?.csi) return undefined;
  try {
    return plugins.bySpec({ from: "volume", persistentVolume: volume, readOnly: false }, "deletes");
  } catch (error) {
    const name = JSON.stringify(volume.metadata?.name);
    throw new Error(`error getting deleter volume plugin for volume ${name}: ${errorText(error)}`, { cause: error });
  }
}

/** The provisioner's name in metrics. */
function provisionerOf(volume: PersistentVolume, context: Pick<BinderContext, "plugins" | "classes">): string {
  let plugin;
  try {
    plugin = deleterOf(volume, context);
  } catch {
    return NOT_AVAILABLE;
  }
  if (plugin) return plugin.name;
  const name = storageClassOf(volume);
  const provisioner = name ? context.classes.get(undefined, name)?.provisioner : undefined;
  return provisioner === undefined ? NOT_AVAILABLE : migratedDriverOf(provisioner) ?? provisioner;
}

/** Deletes a volume's storage, then the finalizer that has kept the volume until now. */
async function deleteStorage(
  volume: PersistentVolume,
  plugin: VolumePlugin,
  context: BinderContext,
): Promise<void> {
  const { name = "", uid } = volume.metadata ?? {};
  const path = volume.spec?.hostPath?.path;
  if (path === undefined) {
    const why = "spec.PersistentVolumeSource.HostPath is nil";
    throw new Error(`failed to create deleter for volume ${JSON.stringify(name)}: ${why}`);
  }
  await timed({ plugin: plugin.name, operation: "volume_delete" }, context, () => context.folders.remove(path));
  const live = await liveVolume(name, context);
  if (!live) throw new Error(`persistentvolumes ${JSON.stringify(name)} not found`);
  const finalizers = live.metadata?.finalizers ?? [];
  if (live.metadata?.uid !== uid || !finalizers.includes(IN_TREE_FINALIZER)) return;
  try {
    await writeVolume(withFinalizers(live, finalizers.filter((each) => each !== IN_TREE_FINALIZER)), context);
  } catch (error) {
    const why = `persistent volume controller can't update finalizer: ${errorText(error)}`;
    throw new Error(why, { cause: error });
  }
}
