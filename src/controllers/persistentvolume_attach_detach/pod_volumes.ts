import type { Pod } from "../../api/mod.ts";
import { CLAIM_FIELDS_OF_PODS, isVolumeTerminated, type PodVolume, STATE_FIELDS_OF_PODS } from "../pod_volumes/mod.ts";
import type { DesiredState } from "./desired_state.ts";
import { type BoundVolumes, MIGRATED_SOURCES, uniqueVolumeName, volumeOfPod, type VolumeSpec } from "../volumes/mod.ts";
import { type AttachableContext, attachablePlugin } from "./attachable.ts";

/** Sources of volumes that can be attached. */
const SOURCES = ["csi", "fc", "iscsi", ...MIGRATED_SOURCES];

/** What is read of pods. */
export const FIELDS_OF_PODS = [
  ...CLAIM_FIELDS_OF_PODS,
  ...STATE_FIELDS_OF_PODS,
  "spec.nodeName",
  "spec.volumes.persistentVolumeClaim.readOnly",
  ...SOURCES.map((source) => `spec.volumes.${source}`),
];

/** What volumes of pods are looked up in. */
export interface PodVolumesContext extends AttachableContext, BoundVolumes {}

/** Where it is noted what pods want. */
export interface WantingContext extends PodVolumesContext {
  readonly desired: DesiredState;
}

/** Notes what a pod wants on its node, which is nothing once it has ended. */
export function notePod(pod: Pod, context: WantingContext): void {
  const node = pod.spec?.nodeName;
  if (!node || !pod.spec?.volumes?.length) return;
  if (isVolumeTerminated(pod)) return context.desired.removePod(pod.metadata?.uid ?? "");
  if (!context.desired.isManaged(node)) return;
  const { namespace, name, uid, resourceVersion } = pod.metadata ?? {};
  const reference = { apiVersion: "v1", kind: "Pod", namespace, name, uid, resourceVersion };
  for (const { volume, spec } of wantedVolumes(pod, context)) context.desired.add({ volume, node, spec }, reference);
}

/** A volume that is to be attached for a pod. */
interface WantedVolume {
  readonly volume: string;
  readonly spec: VolumeSpec;
}

/** The volumes of a pod that are to be attached, as far as they are known by now. Upstream: `attachdetach/util` (ProcessPodVolumes). */
export function* wantedVolumes(pod: Pod, context: PodVolumesContext): Iterable<WantedVolume> {
  for (const podVolume of pod.spec?.volumes ?? []) {
    const wanted = wantedVolume(pod, podVolume, context);
    if (wanted) yield wanted;
  }
}

function wantedVolume(pod: Pod, podVolume: PodVolume, context: PodVolumesContext): WantedVolume | undefined {
  try {
    const spec = volumeOfPod(pod, podVolume, context);
    if (!context.plugins.find(spec)) return undefined; // most volumes of most pods
    const plugin = attachablePlugin(spec, context);
    return plugin && { volume: uniqueVolumeName(plugin, spec), spec };
  } catch {
    return undefined; // its claim or volume is not known
  }
}
