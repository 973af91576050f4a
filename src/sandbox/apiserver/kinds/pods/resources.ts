import { Quantity, type QuantityValue, type ResourceRequirements } from "../../../../api/mod.ts";
import { attempt } from "../../base/mod.ts";
import {
  dnsLabel,
  type FieldErrors,
  isHugePages,
  isOvercommittable,
  validateAmount,
  validateContainerResourceName,
  validatePodResourceName,
} from "../../validation/mod.ts";

type Amounts = Readonly<Record<string, QuantityValue>>;

/** The path of requirements, and what they belong to. */
interface Place {
  readonly at: string;
  readonly of: "container" | "pod";
}

function validateList(amounts: Amounts, field: string, { at, of }: Place, errors: FieldErrors): void {
  const validateName = of === "pod" ? validatePodResourceName : validateContainerResourceName;
  for (const name in amounts) {
    const path = `${at}.${field}[${name}]`;
    validateName(name, path, errors);
    validateAmount(name, amounts[name], path, errors);
    if (!isHugePages(name) || isWholePages(name, amounts[name])) continue;
    errors.invalid(path, String(amounts[name]), `must be a positive integer multiple of ${name}`);
  }
}

function isWholePages(name: string, amount: QuantityValue): boolean {
  const page = attempt(() => Quantity.parse(name.slice("hugepages-".length)));
  if (!page || page.sign <= 0 || page.milliRoundedUp() % 1000n !== 0n) return false;
  return Quantity.parse(amount).roundedUp() % page.roundedUp() === 0n;
}

function validateRequest(name: string, request: QuantityValue, limits: Amounts, at: string, errors: FieldErrors): void {
  const limit = limits[name];
  const isFixed = !isOvercommittable(name);
  if (limit === undefined) {
    if (isFixed) errors.required(`${at}.limits`, "Limit must be set for non overcommitable resources");
    return;
  }
  if (limit === request) return;
  const order = Quantity.parse(request).compare(Quantity.parse(limit));
  if (isFixed ? order === 0 : order <= 0) return;
  const how = isFixed ? "equal to" : "less than or equal to";
  errors.invalid(`${at}.requests`, String(request), `must be ${how} ${name} limit of ${limit}`);
}

/** The resources of a container or a pod. Upstream: validateResourceRequirements. */
export function validateRequirements(
  { limits = {}, requests = {}, claims }: ResourceRequirements,
  claimNames: ReadonlySet<string>,
  place: Place,
  errors: FieldErrors,
): void {
  const { at } = place;
  validateList(limits, "limits", place, errors);
  validateList(requests, "requests", place, errors);
  for (const name in requests) validateRequest(name, requests[name], limits, at, errors);
  const names = Object.keys({ ...limits, ...requests });
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.forbidden(at, "HugePages require cpu or memory");
  }
  if (claims) validateClaims(claims, claimNames, `${at}.claims`, errors);
}

/** A container can only use devices that its pod claims. */
function validateClaims(
  claims: NonNullable<ResourceRequirements["claims"]>,
  claimNames: ReadonlySet<string>,
  at: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [i, { name = "", request = "" }] of claims.entries()) {
    const path = `${at}[${i}]`;
    if (!name) {
      errors.required(path);
      continue;
    }
    if (seen.has(name)) errors.duplicate(path, name);
    else {
      if (request) errors.invalidFor(`${path}.request`, request, dnsLabel(request));
      const key = request ? `${name}/${request}` : name;
      if (seen.has(key)) errors.duplicate(path, key);
      else if (!request) { for (const one of seen) if (one.startsWith(`${name}/`)) errors.duplicate(path, name); }
      seen.add(key);
    }
    if (!claimNames.has(name)) errors.notFound(path, name, "must be one of spec.resourceClaims");
  }
}
