import { type PodSpec, Quantity, type QuantityValue } from "../../../../api/mod.ts";
import { isPodLevelResource, podLimits, podRequests } from "../../../../rules/mod.ts";
import { type FieldErrors, isHugePages, isOvercommittable } from "../../validation/mod.ts";
import { validateRequirements } from "./resources.ts";

type Amounts = Record<string, QuantityValue>;

/** What a pod's containers use at once, whatever the pod itself sets. */
function aggregate(spec: PodSpec, of: "requests" | "limits"): ReadonlyMap<string, Quantity> {
  const pod = { spec: { ...spec, resources: undefined } };
  return of === "requests" ? podRequests(pod, { excludesOverhead: true }) : podLimits(pod, { excludesOverhead: true });
}

/** Sets the defaults of pod-level resources. Upstream: defaultHugePagePodLimits and defaultPodRequests. */
export function defaultPodResources(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources) return;
  const isEmpty = (amounts: Amounts | undefined) => !amounts || Object.keys(amounts).length === 0;
  if (isEmpty(resources.limits) && isEmpty(resources.requests)) return;
  const limits: Amounts = { ...resources.limits };
  for (const [name, amount] of aggregate(spec, "limits")) {
    if (!isHugePages(name) || resources.requests?.[name] !== undefined) continue;
    limits[name] ??= amount.toString();
  }
  if (!isEmpty(limits)) resources.limits = limits;
  if (isEmpty(resources.limits)) return;
  const requests: Amounts = { ...resources.requests };
  for (const [name, amount] of aggregate(spec, "requests")) {
    if (isPodLevelResource(name) && isOvercommittable(name)) requests[name] ??= amount.toString();
  }
  for (const name in resources.limits) if (isPodLevelResource(name)) requests[name] ??= resources.limits[name];
  if (!isEmpty(requests)) resources.requests = requests;
}

/** Compares pod-level resources with those of the containers. Upstream: validatePodResources. */
export function validatePodResources(
  spec: PodSpec,
  claimNames: ReadonlySet<string>,
  specAt: string,
  errors: FieldErrors,
): void {
  const at = `${specAt}.resources`;
  const { resources = {} } = spec;
  if (resources.claims) errors.forbidden(`${at}.claims`, "claims may not be set for Resources at pod-level");
  validateRequirements(resources, claimNames, { at, of: "pod" }, errors);
  const check = (list: "requests" | "limits", isMeant: (name: string) => boolean) => {
    const own = resources[list] ?? {};
    for (const [name, sum] of aggregate(spec, list)) {
      if (!isMeant(name) || own[name] === undefined || sum.compare(Quantity.parse(own[name])) <= 0) continue;
      errors.invalid(`${at}.${list}[${name}]`, String(own[name]), `must be at least the containers' ${sum}`);
    }
  };
  check("requests", () => true);
  check("limits", isHugePages);
  const { limits = {} } = resources;
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, own] of Object.entries(container.resources?.limits ?? {})) {
      if (limits[name] === undefined || Quantity.parse(own).compare(Quantity.parse(limits[name])) <= 0) continue;
      errors.invalid(`${at}.containers[${i}][${name}].limits`, String(own), "must be at most the pod's limit");
    }
  }
}
