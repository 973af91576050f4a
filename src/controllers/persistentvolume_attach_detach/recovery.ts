import type { Node, Pod, VolumeAttachment } from "../../api/mod.ts";
import type { Logger } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { CSI_PLUGIN, translateToCsi, uniqueVolumeName, type VolumeSpec } from "../volumes/mod.ts";
import { attachablePlugin } from "./attachable.ts";
import { type NodeHandlerContext, noteNode } from "./handlers.ts";
import { notingPod, wantedVolume } from "./pod_volumes.ts";

/** What is read to find out what an earlier manager has done. */
export interface RecoveryContext extends Omit<NodeHandlerContext, "podLister"> {
  readonly log: Logger;
  readonly nodeLister: Pick<Lister<Node>, "list">;
  readonly podLister: Pick<Lister<Pod>, "get" | "list">;
  readonly attachments: Pick<Lister<VolumeAttachment>, "list">;
}

/**
 * Determines step by step what is attached and what is wanted, before anything is attached or detached.
 * Upstream: `attachdetach/attach_detach_controller.go` (populateActualStateOfWorld, populateDesiredStateOfWorld).
 *
 * Contract:
 * 1. What the status of a node names is attached, whatever it is.
 * 2. What a VolumeAttachment asks for and no node names may be attached.
 * 3. What pods want is known when it ends, together with what the volumes are that nodes name.
 */
export function* recover(context: RecoveryContext): Generator<void, void> {
  for (const node of context.nodeLister.list()) {
    yield* noteAttached(node, context);
    noteNode(node, context); // all pods are noted below
    yield;
  }
  for (const attachment of context.attachments.list()) {
    noteAttachment(attachment, context);
    yield;
  }
  for (const pod of context.podLister.list()) {
    yield* notingPod(pod, context);
    yield* describeVolumes(pod, context);
    yield;
  }
}

function* noteAttached({ metadata, status }: Node, { actual }: RecoveryContext): Generator<void, void> {
  const node = metadata?.name ?? "";
  for (const { name, devicePath } of status?.volumesAttached ?? []) {
    actual.note({ volume: name, node, spec: undefined, devicePath: devicePath ?? "", isConfirmed: true });
    yield;
  }
}

function noteAttachment({ spec }: VolumeAttachment, context: RecoveryContext): void {
  const node = spec?.nodeName;
  const name = spec?.source?.persistentVolumeName;
  const persistentVolume = name === undefined ? undefined : context.volumes.get(undefined, name);
  if (!node || !persistentVolume) return;
  const found = volumeOf({ from: "volume", persistentVolume, readOnly: false }, context);
  if (!found || context.actual.stateOf(found.volume, node) !== "detached") return;
  context.actual.note({ ...found, node, devicePath: "", isConfirmed: false });
}

/** Volumes of types that CSI drivers took over are theirs, whatever the drivers say. */
function volumeOf(spec: VolumeSpec, context: RecoveryContext): { volume: string; spec: VolumeSpec } | undefined {
  try {
    const translated = translateToCsi(spec, "");
    const plugin = translated === spec ? attachablePlugin(spec, context) : CSI_PLUGIN;
    return plugin && { volume: uniqueVolumeName(plugin, translated), spec: translated };
  } catch (error) {
    context.log.verbose(2, "Skipped a VolumeAttachment: nothing can be attached for its volume", { err: error });
    return undefined;
  }
}

/** Adds the specs of attached volumes, which were known by name only. */
function* describeVolumes(pod: Pod, context: RecoveryContext): Generator<void, void> {
  const node = pod.spec?.nodeName;
  if (!node || !pod.spec?.volumes?.length) return;
  const { actual } = context;
  for (const podVolume of pod.spec.volumes) {
    const { volume, spec } = wantedVolume(pod, podVolume, context) ?? {};
    if (volume !== undefined && actual.stateOf(volume, node) === "attached") {
      actual.note({ volume, node, spec, devicePath: actual.get(volume)?.devicePath ?? "", isConfirmed: true });
    }
    yield;
  }
}
