import type { ObjectReference } from "../../api/mod.ts";
import { goQuote } from "../../base/mod.ts";
import { specName, splitUniqueVolumeName, type VolumePlugin, type VolumeSpec } from "../volumes/mod.ts";
import { readVolumesInUse } from "./actions.ts";
import { attachablePlugin, detachablePlugin } from "./attachable.ts";
import type { AttachContext } from "./context.ts";
import type { DesiredVolume } from "./desired_state.ts";
import { volumeFailure, volumeMessage } from "./messages.ts";
import { pluginLabel } from "./metrics.ts";

/** Names of operations, as metrics have them. */
export const ATTACH = "volume_attach";
export const DETACH = "volume_detach";

/**
 * Attaches a volume and records the result in events of its pods. Upstream: `operationexecutor/operation_generator.go`
 * (GenerateAttachVolumeFunc).
 *
 * @throws {Error} If it was not attached.
 */
export async function attach({ volume, node, spec, pods }: DesiredVolume, context: AttachContext): Promise<void> {
  const scheduled = [...pods.values()];
  const plugin = findAttachable(spec, context);
  const label = plugin instanceof Error ? "unknownAttachable" : pluginLabel(plugin, spec);
  const isMigrated = spec.from === "volume" && spec.migrated !== undefined;
  await context.metrics.timed({ plugin: label, name: ATTACH, isMigrated }, async () => {
    if (plugin instanceof Error) throw fail(plugin.message, scheduled, context);
    try {
      const devicePath = await context.attacherOf(plugin).attach(spec, node);
      context.actual.note({ volume, node, spec, devicePath, isConfirmed: true });
    } catch (error) {
      if (context.signal.aborted) throw error;
      context.actual.note({ volume, node, spec, devicePath: "", isConfirmed: false });
      throw fail(volumeFailure("AttachVolume.Attach failed", spec, error), scheduled, context, error);
    }
    tell(scheduled, "Normal", volumeMessage("AttachVolume.Attach succeeded", spec), context);
  });
}

/** The plug-in, or the message for pods if there is none. */
function findAttachable(spec: VolumeSpec, context: AttachContext): VolumePlugin | Error {
  const what = "AttachVolume.FindAttachablePluginBySpec failed";
  try {
    return attachablePlugin(spec, context) ?? new Error(volumeFailure(what, spec));
  } catch (error) {
    return new Error(volumeFailure(what, spec, error), { cause: error });
  }
}

function fail(message: string, pods: readonly ObjectReference[], context: AttachContext, cause?: unknown): Error {
  tell(pods, "Warning", message, context);
  return new Error(message, { cause });
}

function tell(
  pods: readonly ObjectReference[],
  type: "Normal" | "Warning",
  message: string,
  { recorder }: Pick<AttachContext, "recorder">,
): void {
  const reason = type === "Normal" ? "SuccessfulAttachVolume" : "FailedAttachVolume";
  for (const pod of pods) recorder.event(pod, type, reason, message);
}

/** A volume that can be detached, and what by. */
export interface Detachable {
  readonly volume: string;
  readonly node: string;
  readonly spec: VolumeSpec | undefined;
  readonly plugin: VolumePlugin;
  /** As the plug-in calls it. */
  readonly volumeName: string;
}

/**
 * Finds what detaches a volume. One known only by name is left over from before a restart and unwanted.
 *
 * @throws {Error} If there is nothing.
 */
export function detachable(volume: string, node: string, context: AttachContext): Detachable {
  const spec = context.actual.get(volume)?.spec;
  if (!spec) {
    const { pluginName, volumeName } = splitUniqueVolumeName(volume);
    const plugin = context.plugins.byName(pluginName);
    if (!plugin.attaches) throw new Error(`Cannot detach volume ${goQuote(volume)}: ${plugin.name} attaches nothing`);
    return { volume, node, spec, plugin, volumeName };
  }
  const plugin = detachablePlugin(spec, context);
  if (!plugin) throw new Error(`Cannot detach volume ${goQuote(volume)}: its plug-in attaches nothing`);
  return { volume, node, spec, plugin, volumeName: plugin.volumeName(spec) };
}

/**
 * Detaches a volume; only logs the result. Upstream: `operationexecutor/operation_generator.go`
 * (GenerateDetachVolumeFunc).
 *
 * @param options.verifies Whether to ask first if the node uses the volume.
 * @throws {Error} If it was not detached.
 */
export async function detach(
  { volume, node, spec, plugin, volumeName }: Detachable,
  { verifies }: { readonly verifies: boolean },
  context: AttachContext,
): Promise<void> {
  const isMigrated = spec?.from === "volume" && spec.migrated !== undefined;
  await context.metrics.timed({ plugin: pluginLabel(plugin, spec), name: DETACH, isMigrated }, async () => {
    try {
      if (verifies) await ensureUnused(volume, node, context);
      await context.attacherOf(plugin).detach(volumeName, node);
    } catch (error) {
      if (context.signal.aborted) throw error;
      const { devicePath = "" } = context.actual.get(volume) ?? {};
      context.actual.note({ volume, node, spec, devicePath, isConfirmed: false });
      context.world.log.error("Cannot detach a volume, will retry", { err: error, volume, node });
      throw error;
    }
    context.actual.remove(volume, node);
  });
}

async function ensureUnused(volume: string, node: string, context: AttachContext): Promise<void> {
  const inUse = await readVolumesInUse(node, context);
  if (!inUse.includes(volume)) return;
  const spec = context.actual.get(volume)?.spec;
  throw new Error(
    `DetachVolume failed for volume ${goQuote(spec ? specName(spec) : "")} (UniqueName: ${goQuote(volume)}) ` +
      `on node ${goQuote(node)} : volume is still in use by node, according to Node status`,
  );
}
