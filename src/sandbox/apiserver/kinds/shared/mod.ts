/** Rules that pods and other kinds share. */
export { claimWarnings, fractionWarning, validateAccessModes, validateClaimSpec } from "./claim_spec.ts";
export { NODE_LABELS, nodeTermWarnings } from "./node_labels.ts";
export { descendingPath, fileMode, noBacksteps, volumePath } from "./paths.ts";
export { csiDriverName, SOURCES, validateSources, type VolumeSources } from "./volume_sources.ts";
