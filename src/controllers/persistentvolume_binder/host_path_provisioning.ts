import { objectKey, type PersistentVolume, type PersistentVolumeClaim, type StorageClass } from "../../api/mod.ts";
import { errorText, sleep } from "../../base/mod.ts";
import { isAlreadyExists } from "../../client/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { serverSays } from "../running/mod.ts";
import { volumeModeOf, type VolumePlugin } from "../volumes/mod.ts";
import { createVolume, liveVolume, withProvisioner, writeClaim } from "./actions.ts";
import { referenceTo } from "./binding.ts";
import type { BinderContext } from "./context.ts";
import {
  annotated,
  annotationOf,
  BOUND_BY_CONTROLLER,
  IN_TREE_FINALIZER,
  marked,
  PROVISIONED_BY,
  SELECTED_NODE,
} from "./names.ts";
import { timed } from "./timed.ts";

const TRIES = 5;
const PAUSE_MS = 10_000;

/** The inputs for making a volume. */
interface Means {
  readonly storageClass: StorageClass;
  readonly plugin: VolumePlugin;
}

/**
 * Makes a volume of a folder of this host; for development. A claim gets one volume however often this is tried: the
 * claim's UID is in its name.
 *
 * @throws {Error} If it must be retried; the claim has an event about it.
 */
export async function provisionHostPath(
  claim: PersistentVolumeClaim,
  means: Means,
  context: BinderContext,
): Promise<void> {
  const { storageClass, plugin } = means;
  if (claim.spec?.dataSource) {
    const why = `plugin ${JSON.stringify(plugin.name)} is not a CSI plugin. ` +
      "Only CSI plugin can provision a claim with a datasource";
    throw refusal(claim, why, context);
  }
  const asking = await withProvisioner(claim, storageClass.provisioner, context);
  const name = `pvc-${asking.metadata?.uid}`;
  if (await liveVolume(name, context)) return;
  checkMeans(asking, means, context);
  const path = await makeFolder(asking, means, context);
  const volume = newVolume(asking, { name, path, ...means });
  try {
    await createPatiently(volume, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    await giveUp(asking, { path, error }, context);
    return;
  }
  const message = `Successfully provisioned volume ${name} using ${plugin.name}`;
  context.recorder.event(asking, "Normal", "ProvisioningSucceeded", message);
}

function refusal(claim: PersistentVolumeClaim, why: string, { recorder }: Pick<BinderContext, "recorder">): Error {
  recorder.event(claim, "Warning", "ProvisioningFailed", why);
  return new Error(why);
}

/** @throws {Error} If a volume cannot be made by these means, with an event about it. */
function checkMeans(claim: PersistentVolumeClaim, { storageClass, plugin }: Means, context: BinderContext): void {
  const { mountOptions = [], metadata } = storageClass;
  if (mountOptions.length > 0 && !plugin.takesMountOptions) {
    const named = `StorageClass ${JSON.stringify(metadata?.name)} has mount options [${mountOptions.join(" ")}]`;
    throw refusal(claim, `Mount options are not supported by the provisioner but ${named}`, context);
  }
  if (!context.provisionsHostPaths) {
    const why = `provisioning in volume plugin ${JSON.stringify(plugin.name)} is disabled`;
    throw refusal(claim, `Failed to create provisioner: ${why}`, context);
  }
  const node = annotationOf(claim, SELECTED_NODE);
  if (node !== undefined && !context.nodes.get(undefined, node)) {
    throw refusal(claim, `Failed to get target node: node ${JSON.stringify(node)} not found`, context);
  }
}

async function makeFolder(
  claim: PersistentVolumeClaim,
  { storageClass, plugin }: Means,
  context: BinderContext,
): Promise<string> {
  try {
    return await timed({ plugin: plugin.name, operation: "volume_provision" }, context, async () => {
      if (volumeModeOf(claim.spec) === "Block") {
        throw new Error(`${plugin.name} does not support block volume provisioning`);
      }
      return await context.folders.make();
    });
  } catch (error) {
    await letReschedule(claim, context);
    const name = JSON.stringify(storageClass.metadata?.name);
    throw refusal(claim, `Failed to provision volume with StorageClass ${name}: ${errorText(error)}`, context);
  }
}

/** The scheduler may find another node, where it works. */
async function letReschedule(claim: PersistentVolumeClaim, context: BinderContext): Promise<void> {
  if (annotationOf(claim, SELECTED_NODE) === undefined) return;
  await writeClaim(annotated(claim, { [SELECTED_NODE]: undefined }), context).catch((err) => {
    context.world.log.info("A claim cannot be given back to the scheduler", { claim: objectKey(claim), err });
  });
}

function newVolume(
  claim: PersistentVolumeClaim,
  { name, path, storageClass, plugin }: Means & { readonly name: string; readonly path: string },
): PersistentVolume {
  const policy = storageClass.reclaimPolicy;
  const modes = claim.spec?.accessModes ?? [];
  const volume: PersistentVolume = {
    metadata: { name, finalizers: policy === "Delete" ? [IN_TREE_FINALIZER] : undefined },
    spec: {
      persistentVolumeReclaimPolicy: policy,
      accessModes: modes.length > 0 ? modes : ["ReadWriteOnce"],
      capacity: { storage: claim.spec?.resources?.requests?.storage ?? "0" },
      hostPath: { path },
      claimRef: referenceTo(claim),
      storageClassName: storageClassOf(claim),
    },
  };
  const made = { "kubernetes.io/createdby": "hostpath-dynamic-provisioner", [PROVISIONED_BY]: plugin.name };
  return marked(annotated(volume, made), BOUND_BY_CONTROLLER);
}

async function createPatiently(volume: PersistentVolume, context: BinderContext): Promise<void> {
  await patiently(context, async () => {
    try {
      await createVolume(volume, context);
    } catch (error) {
      if (!serverSays(error, isAlreadyExists)) throw error;
    }
  });
}

/** Unreferenced folders must not be left behind. */
async function giveUp(
  claim: PersistentVolumeClaim,
  { path, error }: { readonly path: string; readonly error: unknown },
  context: BinderContext,
): Promise<void> {
  const { recorder, folders, signal } = context;
  const key = objectKey(claim);
  const why = `Error creating provisioned PV object for claim ${key}: ${errorText(error)}. Deleting the volume.`;
  recorder.event(claim, "Warning", "ProvisioningFailed", why);
  try {
    await patiently(context, () => folders.remove(path));
  } catch (failure) {
    if (signal.aborted) throw failure;
    const what = `Error cleaning provisioned volume for claim ${key}: ${errorText(failure)}. Please delete manually.`;
    recorder.event(claim, "Warning", "ProvisioningCleanupFailed", what);
  }
}

/** Tries several times, with pauses. @throws What the last try threw. */
async function patiently(
  { world: { clock }, signal }: Pick<BinderContext, "world" | "signal">,
  attempt: () => Promise<void>,
): Promise<void> {
  for (let left = TRIES - 1;; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !await sleep(clock, PAUSE_MS, signal)) throw error;
    }
  }
}
