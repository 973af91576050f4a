import { objectKey, type Pod, type PodResourceClaim } from "../../api/mod.ts";

/** Which ResourceClaim is meant by one that a pod asks for. */
export type ClaimName =
  /** This one. Made from a template it has to be the pod's own: another one may have had its name first. */
  | { readonly type: "named"; readonly name: string; readonly isGenerated: boolean }
  /** None: somebody decided that the pod needs none. */
  | { readonly type: "unneeded" }
  /** None yet: it is to be made from a template. */
  | { readonly type: "pending" }
  /** It is named in a way that this version does not know. */
  | { readonly type: "unknown" };

/**
 * Tells how the claims are called that a pod asks for. A pod may ask for thousands, so its status is looked through once.
 * Upstream: `k8s.io/dynamic-resource-allocation/resourceclaim` (Name).
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
export function claimNames({ status }: Pod): (podClaim: PodResourceClaim) => ClaimName {
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

/** Why a claim has no name that could be looked up. */
export function namelessText(pod: Pod, { name }: PodResourceClaim, type: "pending" | "unknown"): string {
  if (type === "pending") return `pod "${objectKey(pod)}": ResourceClaim not created yet`;
  return `pod "${objectKey(pod)}", spec.resourceClaim "${name}": none of the supported fields are set`;
}

/** The names of the claims of a pod that there should be by now, each once. */
export function namesOfClaims(pod: Pod): string[] {
  const names = new Set<string>();
  const nameOf = claimNames(pod);
  for (const podClaim of pod.spec?.resourceClaims ?? []) {
    const found = nameOf(podClaim);
    if (found.type === "named") names.add(found.name);
  }
  return [...names];
}
