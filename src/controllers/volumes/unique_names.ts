import { digestOf, hexOf } from "../../x509/mod.ts";
import type { VolumePlugin } from "./plugins.ts";
import { specName, type VolumeSpec } from "./volume_spec.ts";

/**
 * A volume's unique name in the cluster, as used in the status of nodes. Kubelets compute the same.
 * Upstream: `pkg/volume/util` (GetUniqueVolumeNameFromSpec).
 *
 * @throws {Error} If the volume lacks the data that tells it apart from others.
 */
export function uniqueVolumeName(plugin: VolumePlugin, spec: VolumeSpec): string {
  const name = plugin.volumeName(spec);
  if (!name) throw new Error(`failed to GetVolumeName from volumePlugin for volumeSpec "${specName(spec)}" err=<nil>`);
  return `${plugin.name}/${name}`;
}

/**
 * Undoes {@link uniqueVolumeName}.
 *
 * @throws {Error} If there are not three parts.
 *
 * @example
 * ```ts
 * import { splitUniqueVolumeName } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const parts = splitUniqueVolumeName("kubernetes.io/nfs/server//path");
 * assertEquals(parts, { pluginName: "kubernetes.io/nfs", volumeName: "server//path" });
 * ```
 */
export function splitUniqueVolumeName(uniqueName: string): { pluginName: string; volumeName: string } {
  const at = uniqueName.indexOf("/", uniqueName.indexOf("/") + 1);
  if (at <= uniqueName.indexOf("/")) {
    throw new Error(`cannot split volume unique name ${uniqueName} to plugin/volume components`);
  }
  return { pluginName: uniqueName.slice(0, at), volumeName: uniqueName.slice(at + 1) };
}

/**
 * The name of the VolumeAttachment of a CSI volume on a node: kubelets wait for one with this name.
 * Upstream: `pkg/volume/csi` (getAttachmentName).
 */
export function attachmentName(
  { volumeHandle, driver, nodeName }: {
    readonly volumeHandle: string;
    readonly driver: string;
    readonly nodeName: string;
  },
): string {
  return `csi-${hexOf(digestOf("sha256", new TextEncoder().encode(volumeHandle + driver + nodeName)))}`;
}
