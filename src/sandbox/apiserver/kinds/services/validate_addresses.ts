import type { ServiceSpec } from "../../../../api/mod.ts";
import {
  each,
  familyOf,
  type FieldErrors,
  isDualStack,
  oneOf,
  unique,
  validateAddress,
  valuesOf,
} from "../../validation/mod.ts";

const FAMILIES = ["IPv4", "IPv6"];
const family = oneOf<string>(...FAMILIES);
const policy = valuesOf("core.v1.ServiceSpec", "ipFamilyPolicy");

export function isHeadless({ clusterIPs }: ServiceSpec): boolean {
  return clusterIPs?.length === 1 && clusterIPs[0] === "None";
}

/** Cluster addresses and their families. Upstream: ValidateServiceClusterIPsRelatedFields. */
export function validateAddresses(spec: ServiceSpec, old: ServiceSpec | undefined, errors: FieldErrors): void {
  if (spec.type === "ExternalName") return;
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const at = "spec.clusterIPs";
  if (clusterIP) {
    if (clusterIPs.length === 0) errors.required(at);
    else if (clusterIPs[0] !== clusterIP) errors.invalid(at, clusterIPs, "first value must match `clusterIP`");
  } else if (clusterIPs.length > 0) errors.invalid(at, clusterIPs, "must be empty when `clusterIP` is not specified");
  each(family)(ipFamilies, "spec.ipFamilies", errors);
  unique(ipFamilies, "spec.ipFamilies", errors, (one) => one);
  if (ipFamilyPolicy !== undefined) policy(ipFamilyPolicy, "spec.ipFamilyPolicy", errors);
  if (validateEach(clusterIPs, old?.clusterIPs ?? [], errors)) validateTogether(spec, errors);
}

/** Returns whether all addresses are valid. */
function validateEach(addresses: readonly string[], before: readonly string[], errors: FieldErrors): boolean {
  const at = "spec.clusterIPs";
  let isRight = true;
  for (const [i, address] of addresses.entries()) {
    if (i === 0 && address === "None") {
      if (addresses.length === 1) continue;
      errors.invalid(at, addresses, "'None' must be the first and only value");
      isRight = false;
    } else if (!validateAddress(address, `${at}[${i}]`, errors, before)) isRight = false;
  }
  if (addresses.length > 2) errors.invalid(at, addresses, "may only hold up to 2 values");
  return isRight;
}

function validateTogether(spec: ServiceSpec, errors: FieldErrors): void {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const at = "spec.clusterIPs";
  if (clusterIPs.length > 1 && !isDualStack(clusterIPs)) {
    errors.invalid(at, clusterIPs, "may specify no more than one IP for each IP family");
  }
  if (isHeadless(spec)) return;
  for (const [i, address] of clusterIPs.slice(0, ipFamilies.length).entries()) {
    const family = ipFamilies[i];
    if (!FAMILIES.includes(family) || (familyOf(address) === "IPv6") === (family === "IPv6")) continue;
    errors.invalid(`${at}[${i}]`, address, `must be of the family of \`ipFamilies[${i}]\``);
  }
}

/** How cluster addresses may change. Upstream: validateUpgradeDowngradeClusterIPs and ...IPFamilies. */
export function validateAddressChange(spec: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  if (spec.type === "ExternalName" || old.type === "ExternalName") return;
  const [isNow, was] = [isHeadless(spec), isHeadless(old)];
  if (isNow && was) return;
  validateListChange(spec, old, "clusterIPs", errors);
  if (!isNow && !was) validateListChange(spec, old, "ipFamilies", errors);
}

function validateListChange(
  spec: ServiceSpec,
  old: ServiceSpec,
  field: "clusterIPs" | "ipFamilies",
  errors: FieldErrors,
): void {
  const [now = [], before = []] = [spec[field], old[field]];
  const at = `spec.${field}`;
  if (before.length > 0 && now[0] !== before[0]) errors.invalid(`${at}[0]`, now, "may not change once set");
  else if (now.length === before.length && now[1] !== before[1]) {
    errors.invalid(`${at}[${field === "clusterIPs" ? 1 : 0}]`, now, "may not change once set");
  }
  if (now.length !== 1 || before.length < 2 || spec.ipFamilyPolicy === "SingleStack") return;
  errors.invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy ?? null, `must be 'SingleStack' to release ${at}[1]`);
}
