import type { Service } from "../../api/mod.ts";
import { CloudError } from "../errors.ts";
import type { Address, Family } from "../../ip/mod.ts";
import { parseAddress } from "./address.ts";

/** The pool to take addresses from. */
const POOL_ANNOTATION = "ippool/pool";
/** Requested addresses, one per family, separated by commas. */
const ADDRESSES_ANNOTATION = "ippool/addresses";
/** Services with equal keys may share an address if their ports differ and the pool allows it. */
export const SHARING_ANNOTATION = "ippool/sharing-key";

/** Annotations may take a quarter of a megabyte; valid values are short. */
const LONGEST = 253;

/** A Service's request. */
export interface Wish {
  readonly service: Service;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** In the order of `spec.ipFamilies`. */
  readonly families: readonly Family[];
  /** Whether it needs an address of each family. */
  readonly needsAll: boolean;
  readonly pool?: string;
  readonly addresses: ReadonlyMap<Family, Address>;
  readonly sharingKey?: string;
  /** Such as `TCP/80`. */
  readonly ports: readonly string[];
}

/** @throws {CloudError} If the request is invalid. */
export function wishOf(service: Service): Wish {
  const { metadata, spec } = service;
  const { uid = "", namespace = "", name = "" } = metadata ?? {};
  if (uid === "") throw new CloudError(`Service ${namespace}/${name} has no UID`);
  const families = (spec?.ipFamilies ?? []).filter((family): family is Family =>
    family === "IPv4" || family === "IPv6"
  );
  return {
    service,
    uid,
    namespace,
    name,
    families: families.length === 0 ? ["IPv4"] : [...new Set(families)],
    needsAll: spec?.ipFamilyPolicy !== "PreferDualStack",
    pool: annotation(service, POOL_ANNOTATION),
    addresses: requested(service),
    sharingKey: annotation(service, SHARING_ANNOTATION),
    ports: (spec?.ports ?? []).map(({ protocol = "TCP", port }) => `${protocol}/${port}`),
  };
}

function annotation({ metadata }: Service, key: string): string | undefined {
  const annotations = metadata?.annotations ?? {};
  const value = Object.hasOwn(annotations, key) ? annotations[key].trim() : "";
  if (value.length > LONGEST) throw new CloudError(`annotation ${key} must have at most ${LONGEST} characters`);
  return value === "" ? undefined : value;
}

function requested(service: Service): Map<Family, Address> {
  const text = annotation(service, ADDRESSES_ANNOTATION);
  const field = service.spec?.loadBalancerIP?.trim() ?? "";
  const found = new Map<Family, Address>();
  for (
    const [where, part] of [
      ...(text?.split(",") ?? []).map((part) => [`annotation ${ADDRESSES_ANNOTATION}`, part.trim()]),
      ...field === "" ? [] : [["spec.loadBalancerIP", field]],
    ]
  ) {
    const address = parseAddress(part);
    if (!address) throw new CloudError(`${where}: ${JSON.stringify(part.slice(0, LONGEST))} is not an IP address`);
    const other = found.get(address.family);
    if (other && other.value !== address.value) {
      throw new CloudError(`${where}: ${part} is a second ${address.family} address, and a Service gets one`);
    }
    found.set(address.family, address);
  }
  const families = service.spec?.ipFamilies ?? ["IPv4"];
  const foreign = [...found.keys()].find((family) => !families.includes(family));
  if (foreign) {
    throw new CloudError(`an ${foreign} address is requested, but spec.ipFamilies is ${families.join(", ")}`);
  }
  return found;
}
