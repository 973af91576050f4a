import { controllerOf, objectKey, parseTime, type Pod, Quantity, type ResourceV1ResourceClaim } from "../api/mod.ts";
import { DEVICE_CLASS, isExtendedQuotaResource, podUsage, REQUESTS } from "./quota_pods.ts";
import type { Amounts } from "./resource_list.ts";
import { compareUtf8 } from "../base/mod.ts";

/** Looks up devices that stand in for extended resources, and the pods that they are for. */
export interface ExtendedDevices {
  /** Whether a device class of this name exists. */
  hasClass(name: string): boolean;
  /** The extended resource that a class stands in for, if it does. */
  resourceOf(deviceClass: string): string | undefined;
  /** Whether some class stands in for this extended resource. */
  standsInFor(resource: string): boolean;
  /** The pod, if it exists. */
  pod(namespace: string, name: string): Pod | undefined;
  /** The claims of the namespace that were made for the pod with this uid, by {@link extendedClaimOwner}. */
  claimsFor(namespace: string, podUid: string): readonly ResourceV1ResourceClaim[];
}

const CLAIM_COUNT = "count/resourceclaims.resource.k8s.io";
const DEVICES_SUFFIX = ".deviceclass.resource.k8s.io/devices";
const EXTENDED_CLAIM_ANNOTATION = "resource.kubernetes.io/extended-resource-claim";
/** The most devices that one claim can get; `allocationMode: All` counts as this many. */
const MOST_DEVICES = 32;
const ONE = Quantity.of(1n);

/** Whether `name`, from a quota's `hard`, is measured on claims. */
export function isClaimQuotaResource(name: string, devices: ExtendedDevices | undefined): boolean {
  if (name === CLAIM_COUNT || name.endsWith(DEVICES_SUFFIX)) return true;
  if (!devices || !isExtendedQuotaResource(name)) return false;
  const resource = name.slice(REQUESTS.length);
  return resource.startsWith(DEVICE_CLASS) && devices.hasClass(resource.slice(DEVICE_CLASS.length)) ||
    devices.standsInFor(resource);
}

/** A claim's usage of a quota. Upstream: `pkg/quota/v1/evaluator/core/resource_claims.go`. */
export function claimUsage(
  claim: ResourceV1ResourceClaim,
  { devices, nowMs }: { readonly devices: ExtendedDevices | undefined; readonly nowMs: number },
): Amounts {
  const byClass = devicesByClass(claim);
  const usage = new Map([[CLAIM_COUNT, ONE]]);
  for (const [deviceClass, count] of byClass) usage.set(deviceClass + DEVICES_SUFFIX, Quantity.of(BigInt(count)));
  if (!devices || byClass.size === 0) return usage;
  const extended = new Map<string, Quantity>();
  for (const [deviceClass, count] of byClass) {
    if (deviceClass === "") continue;
    const amount = Quantity.of(BigInt(count));
    extended.set(REQUESTS + DEVICE_CLASS + deviceClass, amount);
    const resource = devices.resourceOf(deviceClass);
    if (resource) extended.set(REQUESTS + resource, amount);
  }
  const counted = usageOfPodFor(claim, devices, nowMs);
  for (const [name, amount] of extended) {
    const rest = counted?.has(name) ? amount.sub(counted.get(name)!) : amount;
    if (rest.sign > 0) usage.set(name, rest);
  }
  return usage;
}

/** The most devices of each class that the claim may get. */
function devicesByClass({ spec }: ResourceV1ResourceClaim): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    const most = new Map<string, number>();
    // Of several alternatives the largest of each class counts, since any of them may be allocated.
    const alternatives = firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : [];
    for (const { deviceClassName, allocationMode, count = 0 } of alternatives) {
      const devices = allocationMode === "All" ? MOST_DEVICES : allocationMode === "ExactCount" ? count : 0;
      most.set(deviceClassName, Math.max(devices, most.get(deviceClassName) ?? 0));
    }
    for (const [deviceClass, devices] of most) sum.set(deviceClass, (sum.get(deviceClass) ?? 0) + devices);
  }
  return sum;
}

/** The uid of the pod for whose extended resources the claim was made; `undefined` for any other claim. */
export function extendedClaimOwner(claim: ResourceV1ResourceClaim): string | undefined {
  return ownerPod(claim)?.uid;
}

function ownerPod(claim: ResourceV1ResourceClaim): { readonly name: string; readonly uid: string } | undefined {
  if (claim.metadata?.annotations?.[EXTENDED_CLAIM_ANNOTATION] !== "true") return undefined;
  const owner = controllerOf(claim);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined;
}

/**
 * The usage already counted for the pod whose extended resources the claim stands in for; a pod has at most one such
 * claim.
 */
function usageOfPodFor(
  claim: ResourceV1ResourceClaim,
  devices: ExtendedDevices,
  nowMs: number,
): Amounts | undefined {
  const owner = ownerPod(claim);
  if (!owner) return undefined;
  const namespace = claim.metadata?.namespace ?? "";
  const pod = devices.pod(namespace, owner.name);
  if (!pod || pod.metadata?.uid !== owner.uid) return undefined;
  const named = pod.status?.extendedResourceClaimStatus;
  const isTheOne = named
    ? named.resourceClaimName === claim.metadata?.name
    : devices.claimsFor(namespace, owner.uid).every((other) => !isBefore(other, claim));
  return isTheOne ? podUsage(pod, nowMs) : undefined;
}

function isBefore(one: ResourceV1ResourceClaim, other: ResourceV1ResourceClaim): boolean {
  const [first, second] = [createdMs(one), createdMs(other)];
  return first < second || first === second && compareUtf8(objectKey(one), objectKey(other)) < 0;
}

function createdMs({ metadata }: ResourceV1ResourceClaim): number {
  return metadata?.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
}
