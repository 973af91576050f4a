/** The enabled features. */
export type FeatureGates = ReadonlySet<string>;

/** The gates that this server knows. All are off by default, as in kube-apiserver v1.36. */
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

/** Whether this server implements a feature gate of kube-apiserver. */
export function isKnownGate(name: string): boolean {
  return KNOWN.includes(name);
}

/**
 * The enabled features, given that `set` overrides some defaults.
 *
 * @throws {RangeError} If a gate is unknown.
 */
export function decideGates(set: Readonly<Record<string, boolean>>): FeatureGates {
  const stranger = Object.keys(set).find((name) => !isKnownGate(name));
  if (stranger !== undefined) {
    throw new RangeError(`unrecognized feature gate: ${stranger}: the embedded API server has ${KNOWN.join(", ")}`);
  }
  return new Set(KNOWN.filter((name) => set[name]));
}
