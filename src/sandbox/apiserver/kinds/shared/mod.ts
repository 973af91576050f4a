/** Rules that pods share with other kinds. */
export { addressWarnings, rangeWarnings } from "./address_warnings.ts";
export { fractionWarnings, validateAccessModes, validateClaimSpec, volumeMode } from "./claim_spec.ts";
export { NODE_LABELS, nodeTermWarnings } from "./node_labels.ts";
export { descendingPath, fileMode, noBacksteps, UniquePaths, volumePath } from "./paths.ts";
export {
  awsElasticBlockStore,
  azureDisk,
  cinder,
  cinderOfCluster,
  csiDriverName,
  fc,
  flexVolume,
  gcePersistentDisk,
  hostPath,
  iscsi,
  ISCSI_TOO_LONG,
  iscsiOf,
  isIscsiNameTooLong,
  nfs,
  portworxVolume,
  REMOVED,
  source,
  type SourceRow,
  validateSources,
  vsphereVolume,
} from "./volume_sources.ts";
