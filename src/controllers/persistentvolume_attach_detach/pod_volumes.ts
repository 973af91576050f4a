import type { Pod } from "../../api/mod.ts";
import type { TurnBudget } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { CLAIM_FIELDS_OF_PODS, isVolumeTerminated, type PodVolume, STATE_FIELDS_OF_PODS } from "../pod_volumes/mod.ts";
import type { DesiredState } from "./desired_state.ts";
import { type BoundVolumes, MIGRATED_SOURCES, uniqueVolumeName, volumeOfPod, type VolumeSpec } from "../volumes/mod.ts";
import { type AttachableContext, attachablePlugin } from "./attachable.ts";

/** Sources of volumes that can be attached. */
const SOURCES = ["csi", "fc", "iscsi", "flexVolume", ...MIGRATED_SOURCES] as const;
const MAY_BE_ATTACHED = ["persistentVolumeClaim", "ephemeral", ...SOURCES] as const;

/** The parts of pods that are read. */
export const FIELDS_OF_PODS = [
  ...CLAIM_FIELDS_OF_PODS,
  ...STATE_FIELDS_OF_PODS,
  "spec.nodeName",
  "spec.volumes.persistentVolumeClaim.readOnly",
  ...SOURCES.map((source) => `spec.volumes.${source}`),
];

/** The listers in which the volumes of pods are looked up. */
export interface PodVolumesContext extends AttachableContext, BoundVolumes {}

/** Where the wishes of pods are recorded. */
export interface WantingContext extends PodVolumesContext {
  readonly desired: DesiredState;
  readonly podLister: Pick<Lister<Pod>, "get">;
}

/** Of so many volumes, none is worth a turn of the event loop. */
const FEW = 50;

/**
 * Notes what a pod wants on its node, which is nothing once it has ended. One with many volumes lets others have their
 * turn.
 */
export function notePod(pod: Pod, context: WantingContext & { readonly budget: TurnBudget }): void | Promise<void> {
  const noting = notingPod(pod, context);
  if ((pod.spec?.volumes?.length ?? 0) > FEW) return context.budget.run(noting);
  while (!noting.next().done);
}

/** The same step by step. A pod that has changed meanwhile is left to whoever notes it as it is now. */
export function* notingPod(pod: Pod, context: WantingContext): Generator<void, void> {
  const { desired, podLister } = context;
  const node = pod.spec?.nodeName;
  if (!node || !pod.spec?.volumes?.length) return;
  if (isVolumeTerminated(pod)) return desired.removePod(pod.metadata?.uid ?? "");
  if (!desired.isManaged(node)) return;
  const { namespace, name = "", uid, resourceVersion } = pod.metadata ?? {};
  const reference = { apiVersion: "v1", kind: "Pod", namespace, name, uid, resourceVersion };
  for (const podVolume of pod.spec.volumes) {
    if (podLister.get(namespace, name) !== pod) return;
    const wanted = wantedVolume(pod, podVolume, context);
    if (wanted) desired.add({ ...wanted, node }, reference);
    yield;
  }
}

/** A volume that must be attached for a pod. */
interface WantedVolume {
  readonly volume: string;
  readonly spec: VolumeSpec;
}

/**
 * A volume of a pod that must be attached, as far as it is known by now. Upstream: `attachdetach/util`
 * (ProcessPodVolumes).
 *
 * @returns `undefined` if there is nothing to attach.
 */
export function wantedVolume(pod: Pod, podVolume: PodVolume, context: PodVolumesContext): WantedVolume | undefined {
  if (!MAY_BE_ATTACHED.some((source) => podVolume[source] !== undefined)) return undefined;
  try {
    const spec = volumeOfPod(pod, podVolume, context);
    if (!context.plugins.find(spec)) return undefined; // most volumes of most pods
    const plugin = attachablePlugin(spec, context);
    return plugin && { volume: uniqueVolumeName(plugin, spec), spec };
  } catch {
    return undefined; // its claim or volume is not known
  }
}
