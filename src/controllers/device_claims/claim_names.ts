import type { KubeObject, PodResourceClaim, PodResourceClaimStatus, PodSchedulingGroup } from "../../api/mod.ts";

/** What asks for claims: a pod, or a group whose pods share them. */
export interface Claimant extends KubeObject {
  readonly spec?: {
    readonly resourceClaims?: readonly PodResourceClaim[];
    readonly schedulingGroup?: PodSchedulingGroup;
  };
  readonly status?: { readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[] };
}

/** Which ResourceClaim is meant by one that a pod or a group asks for. */
export type ClaimName =
  /** This one. Made from a template it has to be the claimant's own: another one may have had its name first. */
  | { readonly type: "named"; readonly name: string; readonly isGenerated: boolean }
  /** None: somebody decided that none is needed. */
  | { readonly type: "unneeded" }
  /** None yet: it is to be made from a template. */
  | { readonly type: "pending" }
  /** It is named in a way that this version does not know. */
  | { readonly type: "unknown" };

/**
 * Tells how the claims are called that are asked for. A pod may ask for thousands, so its status is looked through once.
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

/** The names of the claims that there should be by now, each once. */
export function namesOfClaims(claimant: Claimant): string[] {
  const names = new Set<string>();
  const nameOf = claimNames(claimant);
  for (const podClaim of claimant.spec?.resourceClaims ?? []) {
    const found = nameOf(podClaim);
    if (found.type === "named") names.add(found.name);
  }
  return [...names];
}
