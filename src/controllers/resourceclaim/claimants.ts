import {
  objectKey,
  type PodGroup,
  PODGROUPS,
  type PodResourceClaim,
  PODS,
  type Resource,
  type ResourceClaimConsumerReference,
} from "../../api/mod.ts";
import type { Claimant } from "../device_claims/mod.ts";

/** A kind that requests claims. */
export interface ClaimantKind {
  readonly resource: Resource<Claimant>;
  /** Its name, and that of its claims, in messages. */
  readonly word: string;
  readonly claimWord: string;
}

export const POD: ClaimantKind = { resource: PODS, word: "pod", claimWord: "PodResourceClaim" };
export const POD_GROUP: ClaimantKind = {
  resource: PODGROUPS,
  word: "PodGroup",
  claimWord: "PodGroupResourceClaim",
};

/** The reservation for a consumer of a claim. */
export function consumerOf(
  { claimant: { metadata }, kind: { resource } }: { readonly claimant: Claimant; readonly kind: ClaimantKind },
): ResourceClaimConsumerReference {
  const { name = "", uid = "" } = metadata ?? {};
  const { group: apiGroup, plural } = resource;
  return { ...apiGroup && { apiGroup }, resource: plural, name, uid };
}

/** Why a claim's name is unknown. */
export function namelessText(
  claimant: Claimant,
  { name }: PodResourceClaim,
  { type, word }: { readonly type: "pending" | "unknown"; readonly word: string },
): string {
  const key = objectKey(claimant);
  if (type === "pending") return `${word} "${key}": ResourceClaim not created yet`;
  return `${word} "${key}", spec.resourceClaim "${name}": none of the supported fields are set`;
}

/**
 * Whether a pod shares a claim with its group: both request the same one by the same name.
 * Upstream: `k8s.io/dynamic-resource-allocation/resourceclaim` (BindTo).
 *
 * @param group The pod's group, if it has one and groups count.
 */
export function isShared(podClaim: PodResourceClaim, group: PodGroup | undefined): boolean {
  return group?.spec?.resourceClaims?.some(({ name, resourceClaimName, resourceClaimTemplateName }) =>
    name === podClaim.name && resourceClaimName === podClaim.resourceClaimName &&
    resourceClaimTemplateName === podClaim.resourceClaimTemplateName
  ) ?? false;
}
