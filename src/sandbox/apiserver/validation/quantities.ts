import { Quantity, type QuantityValue } from "../../../api/mod.ts";
import type { FieldErrors } from "./field_errors.ts";
import { qualifiedName } from "./formats.ts";

/** Amounts that are certainly valid: no sign, at most a suffix. */
const PLAIN_AMOUNT = /^\d+(\.\d+)?([numkMGTPE]|[KMGTPE]i)?$/;

const CONTAINER_RESOURCES = new Set(["cpu", "memory", "ephemeral-storage"]);
const COUNTED = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
const QUOTA_RESOURCES = new Set([
  ...COUNTED,
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
]);
const STANDARD_RESOURCES = new Set([...QUOTA_RESOURCES, "storage"]);

export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

function isQuotaHugePages(name: string): boolean {
  return isHugePages(name) || name.startsWith("requests.hugepages-");
}

/** Whether Kubernetes itself defines the resource. */
function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Whether the limit may exceed the request. */
export function isOvercommittable(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.") && qualifiedName(`requests.${name}`).length === 0;
}

export function isQuotaResource(name: string): boolean {
  return QUOTA_RESOURCES.has(name) || isQuotaHugePages(name);
}

/** The name of a resource. Returns whether it is valid. */
export function validateResourceName(name: string, at: string, errors: FieldErrors): boolean {
  const problems = qualifiedName(name);
  errors.invalidFor(at, name, problems);
  if (problems.length > 0) return false;
  if (name.includes("/") || STANDARD_RESOURCES.has(name) || isQuotaHugePages(name)) return true;
  errors.invalid(at, name, "must be a standard resource type or fully qualified");
  return false;
}

export function validateContainerResourceName(name: string, at: string, errors: FieldErrors): void {
  if (CONTAINER_RESOURCES.has(name)) return;
  validateResourceName(name, at, errors);
  if (!name.includes("/")) {
    if (!isHugePages(name)) errors.invalid(at, name, "must be a standard resource for containers");
  } else if (!isNative(name) && !isExtended(name)) {
    errors.invalid(at, name, "doesn't follow extended resource name standard");
  }
}

export function validatePodResourceName(name: string, at: string, errors: FieldErrors): void {
  if (!validateResourceName(name, at, errors)) return;
  if (name === "cpu" || name === "memory" || isHugePages(name)) return;
  errors.notSupported(at, name, ["cpu", "hugepages-", "memory"]);
}

export function validateQuotaResourceName(name: string, at: string, errors: FieldErrors): void {
  validateResourceName(name, at, errors);
  if (!name.includes("/") && !isQuotaResource(name)) errors.invalid(at, name, "must be a standard resource for quota");
}

/** An amount is not negative, and whole if the resource is countable. Upstream: ValidateResourceQuantityValue. */
export function validateAmount(name: string, amount: QuantityValue, at: string, errors: FieldErrors): void {
  const isCounted = COUNTED.has(name) || isExtended(name);
  if (!isCounted && typeof amount === "string" && PLAIN_AMOUNT.test(amount)) return;
  const quantity = Quantity.parse(amount);
  if (quantity.sign < 0) errors.invalid(at, quantity.toString(), "must be greater than or equal to 0");
  if (isCounted && quantity.milliRoundedUp() % 1000n !== 0n) errors.invalid(at, quantity, "must be an integer");
}

export function validatePositiveAmount(amount: QuantityValue, at: string, errors: FieldErrors): boolean {
  const quantity = Quantity.parse(amount);
  if (quantity.sign > 0) return true;
  errors.invalid(at, quantity.toString(), "must be greater than zero");
  return false;
}

/** An amount must not round to a negative number. Upstream: validateBasicResource. */
export function validateBasicAmount(amount: QuantityValue, at: string, errors: FieldErrors): boolean {
  const value = Quantity.parse(amount).roundedUp();
  if (value >= 0n) return true;
  errors.invalid(at, value, "must be a valid resource quantity");
  return false;
}
