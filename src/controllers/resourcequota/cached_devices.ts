import { type DeviceClass, type Pod, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import { extendedClaimOwner, type ExtendedDevices } from "../../rules/mod.ts";
import { ensureIndexer, type Lister, type SharedInformer } from "../../cache/mod.ts";

const BY_RESOURCE = "spec.extendedResourceName";
const BY_POD = "extendedResourceClaimPodUIDOwner";

/** The informers for {@link cachedDevices}. */
export interface DeviceInformers {
  readonly classes: Pick<SharedInformer<DeviceClass>, "hasIndexer" | "addIndexers" | "indexer">;
  readonly claims: Pick<SharedInformer<ResourceV1ResourceClaim>, "hasIndexer" | "addIndexers" | "indexer">;
  readonly pods: { readonly lister: Pick<Lister<Pod>, "get"> };
}

/**
 * Looks up devices that stand in for extended resources in caches. Adds the indexes that it needs. Upstream:
 * `dynamic-resource-allocation/deviceclass/extendedresourcecache`, without its order of classes, which quotas do not
 * need.
 */
export function cachedDevices({ classes, claims, pods }: DeviceInformers): ExtendedDevices {
  ensureIndexer(classes, BY_RESOURCE, ({ spec }) => spec.extendedResourceName ? [spec.extendedResourceName] : []);
  ensureIndexer(claims, BY_POD, (claim) => {
    const uid = extendedClaimOwner(claim);
    return uid ? [podKey(claim.metadata?.namespace ?? "", uid)] : [];
  });
  return {
    hasClass: (name) => classes.indexer.has(name),
    resourceOf: (deviceClass) => classes.indexer.get(deviceClass)?.spec.extendedResourceName,
    standsInFor: (resource) => classes.indexer.byIndex(BY_RESOURCE, resource).length > 0,
    pod: (namespace, name) => pods.lister.get(namespace, name),
    claimsFor: (namespace, podUid) => claims.indexer.byIndex(BY_POD, podKey(namespace, podUid)),
  };
}

function podKey(namespace: string, uid: string): string {
  return `${namespace}/${uid}`;
}
