import { joinKey, type OwnerReference, type Pod, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";
import { namesOfClaims } from "../device_claims/mod.ts";

const BY_CLAIM = "pod-resource-claim-index";
const BY_TEMPLATE = "pod-resource-claim-template-index";
const BY_POD = "claim-pod-owner-index";

/** What is read of pods. */
export const FIELDS_OF_PODS = [
  "spec.nodeName",
  "spec.resourceClaims",
  "status.phase",
  "status.resourceClaimStatuses",
  "status.extendedResourceClaimStatus.resourceClaimName",
];

/** Adds the indexes by which the functions of this file look up. */
export function addIndexes(
  { pods, claims }: { readonly pods: Indexable<Pod>; readonly claims: Indexable<ResourceV1ResourceClaim> },
): void {
  ensureIndexer(pods, BY_CLAIM, (pod) => namesOfClaims(pod).map((name) => joinKey(pod.metadata?.namespace, name)));
  ensureIndexer(pods, BY_TEMPLATE, (pod) => templatesOf(pod).map((name) => joinKey(pod.metadata?.namespace, name)));
  ensureIndexer(claims, BY_POD, (claim) => {
    const owner = owningPod(claim);
    return owner ? [owner.uid] : [];
  });
}

function templatesOf({ spec }: Pod): string[] {
  const names = spec?.resourceClaims?.flatMap(({ resourceClaimTemplateName }) => resourceClaimTemplateName ?? []);
  return [...new Set(names)];
}

/** The pods that a claim is known to be for. */
export function podsUsing(pods: Pick<Indexer<Pod>, "byIndex">, claimKey: string): Pod[] {
  return pods.byIndex(BY_CLAIM, claimKey);
}

/** The pods whose claims are made from a template. */
export function podsMadeBy(pods: Pick<Indexer<Pod>, "byIndex">, templateKey: string): Pod[] {
  return pods.byIndex(BY_TEMPLATE, templateKey);
}

/** The claims that a pod owns. */
export function claimsOwnedBy(
  claims: Pick<Indexer<ResourceV1ResourceClaim>, "byIndex">,
  podUid: string,
): ResourceV1ResourceClaim[] {
  return claims.byIndex(BY_POD, podUid);
}

/** The pod that a claim was made for, if any. */
export function owningPod({ metadata }: ResourceV1ResourceClaim): OwnerReference | undefined {
  return metadata?.ownerReferences?.find(({ controller, apiVersion, kind }) =>
    controller === true && apiVersion === "v1" && kind === "Pod"
  );
}
