import { type DeviceClass, type Pod, type ResourceV1ResourceClaim } from "../../../api/mod.ts";
import { extendedClaimOwner, type ExtendedDevices } from "../../../rules/mod.ts";
import type { Store } from "../../storage/mod.ts";
import { smallList } from "./small_lists.ts";

const CLASSES = "deviceclasses.resource.k8s.io";
const CLAIMS = "resourceclaims.resource.k8s.io";

/** Devices in the store that stand in for extended resources. */
export function storedDevices(store: Store): ExtendedDevices {
  const classes = () => smallList<DeviceClass>(store, CLASSES);
  return {
    hasClass: (name) => store.get(CLASSES, name) !== undefined,
    resourceOf: (name) => classes().find(({ metadata }) => metadata.name === name)?.spec.extendedResourceName,
    standsInFor: (resource) => classes().some(({ spec }) => spec.extendedResourceName === resource),
    pod: (namespace, name) => store.get("pods", `${namespace}/${name}`) as Pod | undefined, // the collection holds only pods
    claimsFor(namespace, podUid) {
      const all = [...store.list(CLAIMS, { prefix: `${namespace}/` }) ?? []];
      // The collection holds only claims.
      return all.map(({ object }) => object as unknown as ResourceV1ResourceClaim)
        .filter((claim) => extendedClaimOwner(claim) === podUid);
    },
  };
}
