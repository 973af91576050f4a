import { PluginLookupError, type VolumePlugin } from "../volumes/mod.ts";
import { IN_TREE_PREFIX } from "./migration.ts";

/**
 * The plug-in that is called `name`; `undefined` if a provisioner outside of this process is.
 *
 * @throws {PluginLookupError} If it should be a plug-in of Kubernetes, but is not.
 */
export function foundUnlessExternal(name: string, find: () => VolumePlugin): VolumePlugin | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof PluginLookupError && !name.startsWith(IN_TREE_PREFIX)) return undefined;
    throw error;
  }
}
