/** Devices that pods ask for, allocated by hand. */
import {
  type Pod,
  PODS,
  type ResourceClaimConsumerReference,
  RESOURCECLAIMS,
  type ResourceClaimTemplate,
  RESOURCECLAIMTEMPLATES,
  type ResourceV1ResourceClaim,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { idlePod, type IdlePodParts } from "./volume_kit.ts";

/** Keeps a claim that has devices. */
export const KEEPER = "resource.kubernetes.io/delete-protection";

const SPEC: ResourceV1ResourceClaim["spec"] = {
  devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu.example.com" } }] },
};

/** What is written into a claim that has got a device. */
const ALLOCATION = { devices: { results: [{ request: "r", driver: "gpu.example.com", pool: "p", device: "d" }] } };

export function deviceClaim(
  name: string,
  metadata: ResourceV1ResourceClaim["metadata"] = {},
): ResourceV1ResourceClaim {
  return { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: { name, ...metadata }, spec: SPEC };
}

export async function createTemplate(
  kit: Kit,
  name: string,
  metadata: ResourceClaimTemplate["spec"]["metadata"] = {},
): Promise<void> {
  await kit.create(RESOURCECLAIMTEMPLATES, {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    metadata: { name },
    spec: { metadata, spec: SPEC },
  });
}

type PodClaims = NonNullable<NonNullable<Pod["spec"]>["resourceClaims"]>;

/** A pod that asks for devices. */
export function devicePod(name: string, resourceClaims: PodClaims, parts: IdlePodParts = {}): Pod {
  return idlePod(name, { isScheduled: false, ...parts, spec: { resourceClaims, ...parts.spec } });
}

/** What a pod asks for, from the template `t`. */
export const fromTemplate = (name: string, resourceClaimTemplateName = "t") => ({ name, resourceClaimTemplateName });

export const byName = (name: string, resourceClaimName = name) => ({ name, resourceClaimName });

/** Waits until a pod's status names so many claims, and all of them are there; their names by what the pod calls them. */
export async function claimsAreNamed(kit: Kit, pod: string, count = 1): Promise<Record<string, string>> {
  const { status } = await kit.until(PODS, pod, `has ${count} claims`, async ({ status }) => {
    const names = status?.resourceClaimStatuses?.map(({ resourceClaimName }) => resourceClaimName) ?? [];
    const claims = new Set((await kit.list(RESOURCECLAIMS)).map(({ metadata }) => metadata!.name));
    return names.length === count && names.every((name) => claims.has(name));
  });
  // Upstream's manager names several at a time in the order of a hash.
  const resourceClaimStatuses = status!.resourceClaimStatuses!.toSorted((a, b) => a.name < b.name ? -1 : 1);
  await kit.merge(PODS, pod, { status: { resourceClaimStatuses } }, "status");
  return Object.fromEntries(status!.resourceClaimStatuses!.map((each) => [each.name, each.resourceClaimName!]));
}

export async function consumer(kit: Kit, pod: string): Promise<ResourceClaimConsumerReference> {
  const { metadata } = await kit.get(PODS, pod);
  return { resource: "pods", name: pod, uid: metadata!.uid! };
}

/** Gives a claim its device, as the scheduler does. */
export async function allocate(
  kit: Kit,
  claim: string,
  reservedFor: readonly ResourceClaimConsumerReference[] = [],
  { finalizers = [KEEPER] }: { readonly finalizers?: readonly string[] } = {},
): Promise<void> {
  if (finalizers.length > 0) await kit.merge(RESOURCECLAIMS, claim, { metadata: { finalizers } });
  await kit.merge(RESOURCECLAIMS, claim, { status: { allocation: ALLOCATION, reservedFor } }, "status");
}

/** Waits until a claim is reserved for so many. */
export async function reservedFor(kit: Kit, claim: string, count: number): Promise<void> {
  await kit.until(
    RESOURCECLAIMS,
    claim,
    `is reserved for ${count}`,
    ({ status }) => (status?.reservedFor?.length ?? 0) === count,
  );
}

/** Waits until a claim has neither device nor keeper. */
export async function isFree(kit: Kit, claim: string): Promise<void> {
  await kit.until(
    RESOURCECLAIMS,
    claim,
    "is free",
    ({ metadata, status }) => !status?.allocation && !metadata?.finalizers?.includes(KEEPER),
  );
}
