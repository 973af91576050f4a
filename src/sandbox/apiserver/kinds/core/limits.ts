import { type LimitRange, type LimitRangeItem, Quantity } from "../../../../api/mod.ts";
import { roundAmounts } from "../../../../rules/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  type FieldErrors,
  isOvercommittable,
  qualifiedName,
  repetitions,
  validateContainerResourceName,
  validateResourceName,
} from "../../validation/mod.ts";

const TYPES = ["Pod", "Container", "PersistentVolumeClaim"];
const LISTS = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
type List = typeof LISTS[number];

function validateType(type: string, at: string, errors: FieldErrors): void {
  const problems = qualifiedName(type);
  errors.invalidFor(at, type, problems);
  if (problems.length > 0 || type.includes("/") || TYPES.includes(type)) return;
  errors.invalid(at, type, "must be a standard limit type or fully qualified");
}

/** How the amounts in two lists must compare, and the list at which a violation is reported. */
const ORDERS: ReadonlyArray<readonly [smaller: List, larger: List, at: List]> = [
  ["min", "max", "min"],
  ["min", "defaultRequest", "defaultRequest"],
  ["defaultRequest", "max", "defaultRequest"],
  ["defaultRequest", "default", "defaultRequest"],
  ["min", "default", "default"],
  ["default", "max", "default"],
];

type Amounts = Partial<Record<List, Quantity>>;

function validateRatio({ min, max, maxLimitRequestRatio: ratio }: Amounts, at: string, errors: FieldErrors): void {
  if (!ratio) return;
  if (ratio.compare(Quantity.of(1n)) < 0) errors.invalid(at, ratio, "is less than 1");
  const isTooMuch = min && max && ratio.toNumber() > max.toNumber() / min.toNumber();
  if (isTooMuch) errors.invalid(at, ratio, "is greater than max/min");
}

function validateResource(name: string, amounts: Amounts, at: string, errors: FieldErrors): void {
  const path = (list: List) => `${at}.${list}[${name}]`;
  for (const [smaller, larger, field] of ORDERS) {
    const [low, high] = [amounts[smaller], amounts[larger]];
    if (!low || !high || low.compare(high) <= 0) continue;
    errors.invalid(path(field), amounts[field], `${smaller} ${low} is greater than ${larger} ${high}`);
  }
  validateRatio(amounts, path("maxLimitRequestRatio"), errors);
  const { default: limit, defaultRequest: request } = amounts;
  if (isOvercommittable(name) || !limit || !request || limit.compare(request) === 0) return;
  errors.invalid(path("defaultRequest"), request, `must equal the default value ${limit}`);
}

function validateItem(item: LimitRangeItem, at: string, errors: FieldErrors): void {
  const { type = "" } = item;
  const byResource = new Map<string, Amounts>();
  const validateName = type === "Pod" || type === "Container" ? validateContainerResourceName : validateResourceName;
  if (type === "PersistentVolumeClaim" && !item.min?.storage && !item.max?.storage) {
    errors.required(`${at}.limits`, "either minimum or maximum storage value is required");
  }
  for (const list of LISTS) {
    const amounts = Object.entries(item[list] ?? {});
    if (type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (amounts.length > 0) errors.forbidden(`${at}.${list}`, "may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const [name, amount] of amounts) {
      validateName(name, `${at}.${list}[${name}]`, errors);
      byResource.set(name, { ...byResource.get(name), [list]: Quantity.parse(amount) });
    }
  }
  for (const [name, amounts] of byResource) validateResource(name, amounts, at, errors);
}

export const limitRanges: Traits<LimitRange> = {
  createsOnUpdate: true,
  defaults({ spec }) {
    for (const limit of spec?.limits ?? []) {
      for (const list of LISTS) roundAmounts(limit[list]);
      if (limit.type !== "Container") continue;
      const defaults = { ...limit.max, ...limit.default };
      const requests = { ...limit.min, ...defaults, ...limit.defaultRequest };
      if (Object.keys(defaults).length > 0) limit.default = defaults;
      if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
    }
  },
  prepareCreate({ metadata }, { state: { world } }) {
    metadata.name ||= world.random.uuid();
  },
  validate({ spec }, errors) {
    const limits = spec?.limits ?? [];
    const repeated = repetitions(limits, ({ type }) => type);
    for (const [i, item] of limits.entries()) {
      const at = `spec.limits[${i}]`;
      validateType(item.type ?? "", `${at}.type`, errors);
      if (repeated.has(i)) errors.duplicate(`${at}.type`, item.type ?? "");
      validateItem(item, at, errors);
    }
  },
};
