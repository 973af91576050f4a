import type { DeviceRequest, ResourceClaimSpec } from "../../../../api/mod.ts";
import {
  all,
  type Check,
  dnsSubdomain,
  each,
  type FieldErrors,
  fields,
  required,
  uniqueBy,
  upTo,
} from "../../validation/mod.ts";

/** How many requests a claim, and results its allocation, may have. */
export const MOST_REQUESTS = 32;
const MOST_ALTERNATIVES = 8;
const MOST_SELECTORS = 32;
const LONGEST_POOL_BYTES = 253;
const LONGEST_EXPRESSION_BYTES = 10 * 1024;

type Asked = Omit<NonNullable<DeviceRequest["exactly"]>, "adminAccess">;
type Alternative = NonNullable<DeviceRequest["firstAvailable"]>[number];

export function defaultRequests(spec: ResourceClaimSpec | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    for (const asked of [exactly, ...firstAvailable]) {
      if (!asked) continue;
      asked.allocationMode ||= "ExactCount";
      if (asked.allocationMode === "ExactCount") asked.count ||= 1;
    }
  }
}

/** Subdomains separated by slashes. Upstream: `apimachinery/pkg/api/validate/strfmt.go` (ResourcePoolName). */
export const poolFormat: Check<string> = (pool, at, errors) => {
  if (pool.length > LONGEST_POOL_BYTES) errors.tooLong(at, LONGEST_POOL_BYTES);
  for (const part of pool.split("/")) errors.invalidFor(at, part, dnsSubdomain(part));
};

/** A list with a maximum length and no duplicates. Upstream: validateSet. */
export function setOf<T>(most: number, check: Check<T>, keyOf: (item: T) => string): Check<readonly T[]> {
  return upTo(most, all(each(check), uniqueBy(keyOf)));
}

const nameOf = ({ name }: { readonly name: string }) => name;
const named = fields<{ readonly name: string }>({ name: "*label" });

const selector = fields<NonNullable<Asked["selectors"]>[number]>({
  cel: required(({ expression }, at, errors) => {
    const isLong = expression.length > LONGEST_EXPRESSION_BYTES;
    if (isLong) errors.tooLong(`${at}.expression`, LONGEST_EXPRESSION_BYTES);
  }),
});

const askedFields = fields<Asked>({
  deviceClassName: "!subdomain",
  allocationMode: "*one",
  selectors: upTo(MOST_SELECTORS, each(selector)),
}, "resource.v1.ExactDeviceRequest");

const validateAsked: Check<Asked> = (asked, at, errors) => {
  const { allocationMode = "", count = 0 } = asked;
  askedFields(asked, at, errors);
  const isWrong = allocationMode === "All" ? count !== 0 : allocationMode === "ExactCount" && count <= 0;
  if (isWrong) errors.invalid(`${at}.count`, count, "must be positive for ExactCount and unset for All");
};

const alternatives = setOf<Alternative>(MOST_ALTERNATIVES, all<Alternative>(named, validateAsked), nameOf);

const request: Check<DeviceRequest> = ({ name, exactly, firstAvailable = [] }, at, errors) => {
  named({ name }, at, errors);
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly && firstAvailable.length > 0) errors.invalid(at, null, one);
  else if (exactly) validateAsked(exactly, `${at}.exactly`, errors);
  else if (firstAvailable.length === 0) errors.required(at, one);
  else alternatives(firstAvailable, `${at}.firstAvailable`, errors);
};

const requests = setOf(MOST_REQUESTS, request, nameOf);

/** Validates a claim's requests, without compiling expressions. Upstream: validateDeviceClaim. */
export function validateRequests(spec: ResourceClaimSpec | undefined, at: string, errors: FieldErrors): void {
  requests(spec?.devices?.requests ?? [], `${at}.devices.requests`, errors);
}
