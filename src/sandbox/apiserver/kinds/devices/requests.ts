import type { DeviceRequest, ResourceClaimSpec } from "../../../../api/mod.ts";
import { type Check, dnsLabel, dnsSubdomain, type FieldErrors, formatted } from "../../validation/mod.ts";

/** Requests of a claim, and results of its allocation. */
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

/** What a claim asks for. Expressions are not compiled. Upstream: validateDeviceClaim. */
export function validateRequests(spec: ResourceClaimSpec | undefined, at: string, errors: FieldErrors): void {
  validateSet(spec?.devices?.requests ?? [], {
    at: `${at}.devices.requests`,
    most: MOST_REQUESTS,
    errors,
    keyOf: ({ name }) => name,
    check: (request, path) => validateRequest(request, path, errors),
  });
}

/** Things of which there may be so many, each once. Upstream: validateSet. */
export function validateSet<T>(
  items: readonly T[],
  { at, most, errors, keyOf, check }: {
    readonly at: string;
    readonly most: number;
    readonly errors: FieldErrors;
    keyOf(item: T): string;
    check(item: T, at: string): void;
  },
): void {
  if (items.length > most) return errors.tooMany(at, items.length, most);
  for (const [i, item] of items.entries()) check(item, `${at}[${i}]`);
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    if (seen.has(keyOf(item))) errors.duplicate(`${at}[${i}]`, keyOf(item));
    seen.add(keyOf(item));
  }
}

/** Upstream: validateRequestName. */
export const requestName: Check<string> = formatted(dnsLabel);

const className: Check<string> = (name, at, errors) => {
  if (name) errors.invalidFor(at, name, dnsSubdomain(name));
  else errors.required(at);
};

function validateRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, at: string, errors: FieldErrors): void {
  requestName(name, `${at}.name`, errors);
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly && firstAvailable.length > 0) errors.invalid(at, null, `${one}, but multiple fields are set`);
  else if (exactly) validateAsked(exactly, `${at}.exactly`, errors);
  else if (firstAvailable.length === 0) errors.required(at, one);
  else {
    validateSet(firstAvailable, {
      at: `${at}.firstAvailable`,
      most: MOST_ALTERNATIVES,
      errors,
      keyOf: (asked) => asked.name,
      check: (asked, path) => {
        requestName(asked.name, `${path}.name`, errors);
        validateAsked(asked, path, errors);
      },
    });
  }
}

function validateAsked(
  { deviceClassName, selectors = [], allocationMode = "", count = 0 }: Omit<Asked, "adminAccess">,
  at: string,
  errors: FieldErrors,
): void {
  className(deviceClassName, `${at}.deviceClassName`, errors);
  if (selectors.length > MOST_SELECTORS) errors.tooMany(`${at}.selectors`, selectors.length, MOST_SELECTORS);
  else {
    for (const [i, { cel }] of selectors.entries()) {
      const path = `${at}.selectors[${i}].cel`;
      if (!cel) errors.required(path);
      else if (cel.expression.length > LONGEST_EXPRESSION_BYTES) {
        errors.tooLong(`${path}.expression`, LONGEST_EXPRESSION_BYTES);
      }
    }
  }
  if (allocationMode === "All") {
    if (count !== 0) errors.invalid(`${at}.count`, count, "must not be specified when allocationMode is 'All'");
  } else if (allocationMode !== "ExactCount") {
    errors.notSupported(`${at}.allocationMode`, allocationMode, ["All", "ExactCount"]);
  } else if (count <= 0) errors.invalid(`${at}.count`, count, "must be greater than zero");
}
