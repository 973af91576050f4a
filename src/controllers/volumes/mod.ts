/**
 * Volumes as controllers see them: which plug-in serves one, its unique name in the cluster, the CSI drivers that
 * replaced in-tree types, and operations that run in the background. For the claims of pods see `pod_volumes`; for the
 * class of claims and volumes, `storageClassOf` in `src/rules`.
 */
export { statesStorageClass } from "./classes.ts";
export { MIGRATED_SOURCES, migratedDriverOf, migratedPluginOf, translateToCsi } from "./migration.ts";
export { NestedOperations, type OperationKey } from "./nested_operations.ts";
export { PendingOperations } from "./pending_operations.ts";
export { PluginLookupError, VolumePlugins } from "./plugin_lookup.ts";
export {
  CSI_PLUGIN,
  FC_PLUGIN,
  flexVolumePlugin,
  HOST_PATH_PLUGIN,
  ISCSI_PLUGIN,
  NFS_PLUGIN,
  type VolumePlugin,
} from "./plugins.ts";
export { attachmentName, splitUniqueVolumeName, uniqueVolumeName } from "./unique_names.ts";
export { isMultiAttachAllowed, specName, volumeModeOf, type VolumeSpec } from "./volume_spec.ts";
export { type BoundVolumes, volumeOfPod } from "./volumes_of_pods.ts";
