import { compareVersions } from "../../../api/mod.ts";

/** The rank of a group's version, as in its APIService. */
export interface VersionPriority {
  /** Groups are listed from the highest to the lowest, then by name. */
  readonly group: number;
  /** The preferred version of a group is the one with the highest number. */
  readonly version: number;
}

/** Upstream: `cmd/kube-apiserver/app/aggregator.go` and `pkg/controlplane/apiserver/aggregator.go`. */
const GROUPS: Readonly<Record<string, number>> = {
  // Served by the aggregator itself, which comes before everything else.
  "apiregistration.k8s.io": 20000,
  "": 18000,
  "apps": 17800,
  "events.k8s.io": 17750,
  "authentication.k8s.io": 17700,
  "authorization.k8s.io": 17600,
  "autoscaling": 17500,
  "batch": 17400,
  "certificates.k8s.io": 17300,
  "networking.k8s.io": 17200,
  "policy": 17100,
  "rbac.authorization.k8s.io": 17000,
  "storage.k8s.io": 16800,
  "admissionregistration.k8s.io": 16700,
  "apiextensions.k8s.io": 16700,
  "scheduling.k8s.io": 16600,
  "coordination.k8s.io": 16500,
  "node.k8s.io": 16300,
  "discovery.k8s.io": 16200,
  "resource.k8s.io": 16200,
  "flowcontrol.apiserver.k8s.io": 16100,
  "internal.apiserver.k8s.io": 16000,
  "storagemigration.k8s.io": 15800,
};

/** Versions of built-in groups with another priority than {@link USUAL_VERSION}, as `group/version`. */
const VERSIONS: Readonly<Record<string, number>> = {
  "/v1": 1,
  "autoscaling/v2": 30,
  "resource.k8s.io/v1": 21,
  "scheduling.k8s.io/v1alpha2": 9,
  "flowcontrol.apiserver.k8s.io/v1": 21,
  "internal.apiserver.k8s.io/v1alpha1": 9,
  "storagemigration.k8s.io/v1beta1": 9,
};

const USUAL_VERSION = 15;

const CUSTOM: VersionPriority = { group: 1000, version: 100 };

export function priorityOf({ group, version }: { readonly group: string; readonly version: string }): VersionPriority {
  const known = GROUPS[group];
  return known === undefined ? CUSTOM : { group: known, version: VERSIONS[`${group}/${version}`] ?? USUAL_VERSION };
}

export function compareGroups(a: string, b: string): number {
  const [left, right] = [GROUPS[a] ?? CUSTOM.group, GROUPS[b] ?? CUSTOM.group];
  return right - left || (a < b ? -1 : a > b ? 1 : 0);
}

/** Compares the versions of a group; the preferred one comes first. */
export function compareGroupVersions(group: string, a: string, b: string): number {
  const [left, right] = [a, b].map((version) => priorityOf({ group, version }).version);
  return right - left || compareVersions(b, a);
}
