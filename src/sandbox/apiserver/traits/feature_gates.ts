/** The features that are on. */
export type FeatureGates = ReadonlySet<string>;

/** What this server can turn on, with kube-apiserver's defaults at v1.36: all of them are off. */
const KNOWN: readonly string[] = [
  "ClusterTrustBundle",
  "ClusterTrustBundleProjection",
  "CoordinatedLeaderElection",
  "DRADeviceTaintRules",
  "DRAResourcePoolStatus",
  "DRAWorkloadResourceClaims",
  "GenericWorkload",
  "PodCertificateRequest",
  "StorageVersionAPI",
  "StorageVersionMigrator",
];

/** Whether this server has the feature that a gate of kube-apiserver turns on. */
export function isKnownGate(name: string): boolean {
  return KNOWN.includes(name);
}

/**
 * The features that are on when `set` says so of some by name.
 *
 * @throws {RangeError} If one is not known here.
 */
export function decideGates(set: Readonly<Record<string, boolean>>): FeatureGates {
  const stranger = Object.keys(set).find((name) => !isKnownGate(name));
  if (stranger !== undefined) {
    throw new RangeError(`unrecognized feature gate: ${stranger}: the embedded API server has ${KNOWN.join(", ")}`);
  }
  return new Set(KNOWN.filter((name) => set[name]));
}
