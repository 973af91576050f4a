import type { DeviceRequest, ResourceClaimSpec } from "../../../../api/mod.ts";
import {
  atMost,
  type Check,
  dnsLabel,
  each,
  type FieldErrors,
  fields,
  formatted,
  unique,
} from "../../validation/mod.ts";

/** How many requests a claim, and results its allocation, may have. */
export const MOST_REQUESTS = 32;
const MOST_ALTERNATIVES = 8;
const MOST_SELECTORS = 32;
const LONGEST_EXPRESSION_BYTES = 10 * 1024;

type Asked = NonNullable<DeviceRequest["exactly"]>;

export function defaultRequests(spec: ResourceClaimSpec | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    for (const asked of [exactly, ...firstAvailable]) {
      if (!asked) continue;
      asked.allocationMode ||= "ExactCount";
      if (asked.allocationMode === "ExactCount") asked.count ||= 1;
    }
  }
}

/** Validates a claim's requests, without compiling expressions. Upstream: validateDeviceClaim. */
export function validateRequests(spec: ResourceClaimSpec | undefined, at: string, errors: FieldErrors): void {
  validateSet(
    spec?.devices?.requests ?? [],
    MOST_REQUESTS,
    request,
    ({ name }) => name,
    `${at}.devices.requests`,
    errors,
  );
}

/** A list with a maximum length and no duplicates. Upstream: validateSet. */
export function validateSet<T>(
  items: readonly T[],
  most: number,
  check: Check<T>,
  keyOf: (item: T) => string,
  at: string,
  errors: FieldErrors,
): void {
  if (!atMost(items, most, at, errors)) return;
  each(check)(items, at, errors);
  unique(items, at, errors, keyOf);
}

/** Upstream: validateRequestName. */
export const requestName: Check<string> = formatted(dnsLabel);

const request: Check<DeviceRequest> = ({ name, exactly, firstAvailable = [] }, at, errors) => {
  requestName(name, `${at}.name`, errors);
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly && firstAvailable.length > 0) errors.invalid(at, null, one);
  else if (exactly) validateAsked(exactly, `${at}.exactly`, errors);
  else if (firstAvailable.length === 0) errors.required(at, one);
  else validateSet(firstAvailable, MOST_ALTERNATIVES, alternative, ({ name }) => name, `${at}.firstAvailable`, errors);
};

const alternative: Check<NonNullable<DeviceRequest["firstAvailable"]>[number]> = (asked, at, errors) => {
  requestName(asked.name, `${at}.name`, errors);
  validateAsked(asked, at, errors);
};

const selector: Check<NonNullable<Asked["selectors"]>[number]> = ({ cel }, at, errors) => {
  if (!cel) return errors.required(`${at}.cel`);
  const isLong = cel.expression.length > LONGEST_EXPRESSION_BYTES;
  if (isLong) errors.tooLong(`${at}.cel.expression`, LONGEST_EXPRESSION_BYTES);
};

const askedFields = fields<Omit<Asked, "adminAccess">>(
  { deviceClassName: "!subdomain", allocationMode: "*one" },
  "resource.v1.ExactDeviceRequest",
);

function validateAsked(asked: Omit<Asked, "adminAccess">, at: string, errors: FieldErrors): void {
  const { selectors = [], allocationMode = "", count = 0 } = asked;
  askedFields(asked, at, errors);
  if (atMost(selectors, MOST_SELECTORS, `${at}.selectors`, errors)) {
    each(selector)(selectors, `${at}.selectors`, errors);
  }
  const isWrong = allocationMode === "All" ? count !== 0 : allocationMode === "ExactCount" && count <= 0;
  if (isWrong) errors.invalid(`${at}.count`, count, "must be positive for ExactCount and unset for All");
}
