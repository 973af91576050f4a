import { TurnBudget } from "../../base/mod.ts";
import { objectKey, type Pod } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import type { Causes } from "../../workqueue/mod.ts";
import type { PodVolume } from "../pod_volumes/mod.ts";
import { aggregateErrors, byKey } from "../running/mod.ts";
import {
  CSI_PLUGIN,
  FC_PLUGIN,
  HOST_PATH_PLUGIN,
  ISCSI_PLUGIN,
  NFS_PLUGIN,
  uniqueVolumeName,
  volumeOfPod,
  type VolumePlugin,
  VolumePlugins,
  type VolumeSpec,
} from "../volumes/mod.ts";
import { tellOfConflicts, tellOfMany } from "./actions.ts";
import type { WarningContext } from "./context.ts";
import { mountsWithLabels, POD_ITEM } from "./handlers.ts";
import { labelsOfMounts } from "./mounts.ts";

/** FlexVolume drivers never mount with labels, so they cannot conflict. */
const PLUGINS = new VolumePlugins([HOST_PATH_PLUGIN, NFS_PLUGIN, FC_PLUGIN, ISCSI_PLUGIN, CSI_PLUGIN]);
const RECURSIVE = "Recursive";
/** How many are reported: a pod may have thousands of volumes that do not exist. */
const MOST_ERRORS = 10;

/**
 * Records how a pod's volumes are labelled, and reports resulting conflicts; a pod that has ended uses nothing.
 * Upstream: `pkg/controller/volume/selinuxwarning/selinux_warning_controller.go` (syncPod).
 *
 * @param key `namespace/name`.
 * @throws {Error} If volumes are not known yet, or containers label one differently.
 */
export async function syncPod(key: string, context: WarningContext): Promise<void> {
  const pod = byKey(context.pods, key);
  if (!pod || isPodTerminal(pod)) return context.labels.remove(key);
  const mounts = labelsOfMounts(pod);
  const errors: unknown[] = [];
  const budget = new TurnBudget(context.world.clock);
  for (const volume of pod.spec?.volumes ?? []) {
    try {
      // It is looked up even if no container mounts it, so that failures are retried.
      const spec = volumeOfPod(pod, volume, context);
      const labels = mounts.get(volume.name);
      if (labels) noteVolume(pod, volume, { spec, labels }, context);
    } catch (error) {
      if (errors.length < MOST_ERRORS) errors.push(error);
    }
    if (budget.spent) await budget.nextTurn();
  }
  const error = aggregateErrors(errors);
  if (error) throw error;
}

function noteVolume(
  pod: Pod,
  volume: PodVolume,
  { spec, labels }: { readonly spec: VolumeSpec; readonly labels: ReadonlySet<string> },
  context: WarningContext,
): void {
  const plugin = PLUGINS.find(spec); // of volumes that pods can share; others have none here
  if (labels.size > 1) {
    tellOfMany(pod, volume.name, context);
    throw new Error(`multiple SELinux labels found: ${[...labels].join(",")}`);
  }
  if (!plugin || spec.from === "pod" && plugin === CSI_PLUGIN) return; // no other pod can use it
  const driver = driverOf(spec);
  const wanted = pod.spec?.securityContext?.seLinuxChangePolicy ?? "MountOption";
  const [stated = ""] = labels;
  const isMounted = supportsLabels(plugin, driver, context) && wanted !== RECURSIVE && stated !== "";
  const use = isMounted ? { label: stated, policy: wanted } : { label: "", policy: RECURSIVE };
  tellOfConflicts(context.labels.use(uniqueVolumeName(plugin, spec), objectKey(pod), use, driver), context);
}

/** The name of the CSI driver; empty if there is none. */
function driverOf(spec: VolumeSpec): string {
  return spec.from === "volume" ? spec.persistentVolume.spec?.csi?.driver ?? "" : "";
}

function supportsLabels({ mountsWithSeLinux }: VolumePlugin, driver: string, { drivers }: WarningContext): boolean {
  if (mountsWithSeLinux !== "by driver") return mountsWithSeLinux;
  return mountsWithLabels(drivers.get(undefined, driver));
}

/** Queues the pods whose volumes a driver mounts. */
export async function syncDriver(name: string, context: WarningContext, causes: Causes): Promise<void> {
  const budget = new TurnBudget(context.world.clock);
  const why = causes.texts[0];
  for (const pod of [...context.labels.podsWith(name)]) {
    if (budget.spent) await budget.nextTurn();
    context.queue.add(POD_ITEM + pod, why);
  }
}
