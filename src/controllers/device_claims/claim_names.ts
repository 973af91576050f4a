import type { KubeObject, PodResourceClaim, PodResourceClaimStatus, PodSchedulingGroup } from "../../api/mod.ts";

/** The requester of claims: a pod, or a group whose pods share them. */
export interface Claimant extends KubeObject {
  readonly spec?: {
    readonly resourceClaims?: readonly PodResourceClaim[];
    readonly schedulingGroup?: PodSchedulingGroup;
  };
  readonly status?: { readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[] };
}

/** The ResourceClaim for a request by a pod or group. */
export type ClaimName =
  /** This one. If it was generated from a template, it must belong to the claimant: another one may have the name. */
  | { readonly type: "named"; readonly name: string; readonly isGenerated: boolean }
  /** None, because none is needed. */
  | { readonly type: "unneeded" }
  /** None yet: it will be generated from a template. */
  | { readonly type: "pending" }
  /** Named in a form that this version does not know. */
  | { readonly type: "unknown" };

/**
 * Maps requests to claims' names. A pod may have thousands, so its status is scanned once.
 * Upstream: `k8s.io/dynamic-resource-allocation/resourceclaim` (Name, NameFromPodGroup).
 *
 * @example
 * ```ts
 * import { claimNames } from "./claim_names.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const nameOf = claimNames({ status: { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "web-gpu-x7k2p" }] } });
 * const named = { type: "named", name: "web-gpu-x7k2p", isGenerated: true };
 * assertEquals(nameOf({ name: "gpu", resourceClaimTemplateName: "one-gpu" }), named);
 * ```
 */
export function claimNames({ status }: Claimant): (podClaim: PodResourceClaim) => ClaimName {
  const generated = new Map(
    status?.resourceClaimStatuses?.map(({ name, resourceClaimName }) => [name, resourceClaimName]),
  );
  return ({ name, resourceClaimName, resourceClaimTemplateName }) => {
    if (resourceClaimName !== undefined) return { type: "named", name: resourceClaimName, isGenerated: false };
    if (resourceClaimTemplateName === undefined) return { type: "unknown" };
    if (!generated.has(name)) return { type: "pending" };
    const found = generated.get(name);
    return found === undefined ? { type: "unneeded" } : { type: "named", name: found, isGenerated: true };
  };
}

/** The names of the claims that should exist by now, each once. */
export function namesOfClaims(claimant: Claimant): string[] {
  const names = new Set<string>();
  const nameOf = claimNames(claimant);
  for (const podClaim of claimant.spec?.resourceClaims ?? []) {
    const found = nameOf(podClaim);
    if (found.type === "named") names.add(found.name);
  }
  return [...names];
}
