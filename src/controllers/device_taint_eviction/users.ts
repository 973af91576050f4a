import { joinKey, objectKey, type Pod, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";
import { isGroupReference, isPodReference, podsOfGroup } from "../device_claims/mod.ts";
import { deviceKey } from "./device_keys.ts";

const BY_DEVICE = "claim-device-index";

/** Indexes claims by the devices that they have got. */
export function indexClaimsByDevice(claims: Indexable<ResourceV1ResourceClaim>): void {
  ensureIndexer(claims, BY_DEVICE, ({ status }) => [
    ...new Set(status?.allocation?.devices?.results?.map(deviceKey)),
  ]);
}

/** The claims that have got a device, by the index of {@link indexClaimsByDevice}. */
export function claimsWith(
  claims: Pick<Indexer<ResourceV1ResourceClaim>, "byIndex">,
  device: string,
): ResourceV1ResourceClaim[] {
  return claims.byIndex(BY_DEVICE, device);
}

/** Where users of claims are looked up. */
interface Users {
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  readonly withGroups: boolean;
}

/** The keys of the pods that a claim is reserved for: some may be gone, or others of their names. */
export function keysOfUsers({ metadata, status }: ResourceV1ResourceClaim, { pods, withGroups }: Users): string[] {
  return status?.reservedFor?.flatMap((consumer) => {
    const key = joinKey(metadata?.namespace, consumer.name);
    if (isPodReference(consumer)) return [key];
    return withGroups && isGroupReference(consumer) ? podsOfGroup(pods, key).map(objectKey) : [];
  }) ?? [];
}
