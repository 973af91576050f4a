import { type Container, labelKeyErrors, parseTime, type Pod, Quantity } from "../api/mod.ts";
import { hasPodLevelResources, podLimits, podRequests } from "./pod_resources.ts";
import { isPodTerminal } from "./pods.ts";
import { addAmounts, type Amounts, parseAmounts } from "./resource_list.ts";
import { compareUtf8 } from "../base/mod.ts";

/** What quotas measure of pods. Upstream: `pkg/quota/v1/evaluator/core/pods.go`. */
const POD_RESOURCES = new Set([
  "count/pods",
  "pods",
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
]);

/**
 * The resources that every container must state if a quota limits them: an early mistake of upstream's that users rely
 * on.
 */
const MUST_BE_STATED = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

const BASIC = ["cpu", "memory", "ephemeral-storage"];
const HUGE_PAGES = "hugepages-";
/** The prefix of requested amounts in a quota. */
export const REQUESTS = "requests.";
/** The prefix of extended resources that are devices of a class. */
export const DEVICE_CLASS = "deviceclass.resource.kubernetes.io/";
const ONE = Quantity.of(1n);

/** Whether `name`, from a quota's `hard`, is measured on pods. */
export function isPodQuotaResource(name: string): boolean {
  if (POD_RESOURCES.has(name) || name.startsWith(HUGE_PAGES) || name.startsWith(REQUESTS + HUGE_PAGES)) return true;
  return isExtendedQuotaResource(name);
}

/** Whether `name`, from a quota's `hard`, is of an extended resource. */
export function isExtendedQuotaResource(name: string): boolean {
  return name.startsWith(REQUESTS) && (!isNative(name) || name.startsWith(REQUESTS + DEVICE_CLASS));
}

/** Names without a prefix, or with one of Kubernetes' own, are not extended resources. */
function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtended(name: string): boolean {
  if (name.startsWith(DEVICE_CLASS)) return true;
  return !isNative(name) && !name.startsWith(REQUESTS) && labelKeyErrors(REQUESTS + name).length === 0;
}

/**
 * A pod's usage of a quota. A pod that is finished, or long past its grace period, counts only as an object.
 *
 * @throws {QuantityError} If the pod states an invalid quantity.
 */
export function podUsage(pod: Pod, nowMs: number): Amounts {
  const object: Amounts = new Map([["count/pods", ONE]]);
  if (!podHoldsResources(pod, nowMs)) return object;
  const options = { usesStatus: true };
  return addAmounts(object, computeUsage(podRequests(pod, options), podLimits(pod, options)));
}

/** Whether a pod counts as more than an object: it has not finished, and is not long past its grace period. */
export function podHoldsResources(pod: Pod, nowMs: number): boolean {
  if (isPodTerminal(pod)) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

/** Amounts under their names in quotas. */
function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map([["pods", ONE]]);
  for (const name of BASIC) {
    const request = requests.get(name);
    if (request) usage.set(name, request).set(REQUESTS + name, request);
    const limit = limits.get(name);
    if (limit) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith(HUGE_PAGES)) usage.set(name, request).set(REQUESTS + name, request);
    if (isExtended(name)) usage.set(REQUESTS + name, request);
  }
  return usage;
}

/** The limited resources that containers fail to state, as in the quota's message; `undefined` if there are none. */
export function unstatedPodResources(pod: Pod, limited: readonly string[]): string | undefined {
  const required = MUST_BE_STATED.filter((name) => limited.includes(name)).sort(compareUtf8);
  if (required.length === 0 || hasPodLevelResources(pod)) return undefined;
  const missing = new Map<string, Set<string>>();
  for (const container of [...pod.spec?.containers ?? [], ...pod.spec?.initContainers ?? []]) {
    const stated = statedBy(container);
    for (const name of required) {
      if (!stated.has(name)) missing.set(name, (missing.get(name) ?? new Set()).add(container.name));
    }
  }
  if (missing.size === 0) return undefined;
  const parts = required.filter((name) => missing.has(name)).map((name) =>
    `${name} for: ${[...missing.get(name)!].sort(compareUtf8).join(",")}`
  );
  return `must specify ${parts.join("; ")}`;
}

function statedBy({ resources }: Container): Amounts {
  return computeUsage(parseAmounts(resources?.requests), parseAmounts(resources?.limits));
}
