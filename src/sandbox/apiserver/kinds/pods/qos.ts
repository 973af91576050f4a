import { type PodSpec, Quantity, type ResourceRequirements } from "../../../../api/mod.ts";

const COUNTED = ["cpu", "memory"] as const;

/** Sums of cpu and memory; a resource is absent if no container asks for it. */
type Sums = { cpu?: Quantity; memory?: Quantity };

/** Adds positive amounts, and returns whether both resources have one. */
function add(sums: Sums, amounts: ResourceRequirements["limits"]): boolean {
  let found = 0;
  for (const name of COUNTED) {
    const amount = amounts?.[name];
    if (amount === undefined) continue;
    const quantity = Quantity.parse(amount);
    if (quantity.sign <= 0) continue;
    found++;
    sums[name] = sums[name]?.add(quantity) ?? quantity;
  }
  return found === COUNTED.length;
}

/** The quality-of-service class of a pod. Upstream: ComputePodQOS in `pkg/apis/core/helper/qos/qos.go`. */
export function qosClassOf(spec: PodSpec | undefined): string {
  const requests: Sums = {};
  const limits: Sums = {};
  let isLimited = true;
  const all = spec?.resources
    ? [spec.resources]
    : [...spec?.containers ?? [], ...spec?.initContainers ?? []].map(({ resources }) => resources);
  for (const resources of all) {
    add(requests, resources?.requests);
    if (!add(limits, resources?.limits)) isLimited = false;
  }
  const isEmpty = (sums: Sums) => COUNTED.every((name) => sums[name] === undefined);
  if (isEmpty(requests) && isEmpty(limits)) return "BestEffort";
  const isGuaranteed = isLimited && COUNTED.every((name) => {
    const request = requests[name];
    return request !== undefined && limits[name] !== undefined && request.equals(limits[name]);
  });
  return isGuaranteed ? "Guaranteed" : "Burstable";
}
