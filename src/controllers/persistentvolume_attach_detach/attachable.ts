import type { CSIDriver } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { CSI_PLUGIN, type VolumePlugin, type VolumePlugins, type VolumeSpec } from "../volumes/mod.ts";

/** Plug-ins, and what CSI drivers say of theirs. */
export interface AttachableContext {
  readonly plugins: VolumePlugins;
  readonly drivers: Pick<Lister<CSIDriver>, "get">;
}

/**
 * The plug-in that attaches a volume; none if it needs no attaching. Upstream: `pkg/volume`
 * (FindAttachablePluginBySpec).
 *
 * @throws {PluginLookupError} If there is no plug-in for it.
 */
export function attachablePlugin(spec: VolumeSpec, context: AttachableContext): VolumePlugin | undefined {
  const plugin = detachablePlugin(spec, context);
  return plugin === CSI_PLUGIN && !mayAttach(spec, context) ? undefined : plugin;
}

/**
 * The plug-in that detaches a volume, although nothing like it may be attached any more.
 *
 * @throws {PluginLookupError} If there is no plug-in for it.
 */
export function detachablePlugin(spec: VolumeSpec, { plugins }: AttachableContext): VolumePlugin | undefined {
  const plugin = plugins.bySpec(spec);
  return plugin.attaches ? plugin : undefined;
}

/**
 * Whether a CSI volume must be attached: by default yes, unless its driver opts out. Inline volumes of pods never are.
 */
function mayAttach(spec: VolumeSpec, { drivers }: AttachableContext): boolean {
  const driver = spec.from === "volume" && spec.persistentVolume.spec?.csi?.driver;
  return typeof driver === "string" && needsAttaching(driver, drivers);
}

/** Whether volumes of a CSI driver are attached before they are used. */
export function needsAttaching(driver: string, drivers: AttachableContext["drivers"]): boolean {
  return drivers.get(undefined, driver)?.spec?.attachRequired !== false;
}
