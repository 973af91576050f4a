import type { PodSpec, ResourceRequirements } from "../../../../api/mod.ts";
import { addAmounts, type Amounts, filterAmounts, parseAmounts, sameAmounts } from "../../../../rules/mod.ts";

const COUNTED = ["cpu", "memory"];

/** The positive amounts of cpu and memory. */
function counted(amounts: ResourceRequirements["limits"]): Amounts {
  return filterAmounts(parseAmounts(amounts), (name, amount) => COUNTED.includes(name) && amount.sign > 0);
}

/** The quality-of-service class of a pod. Upstream: ComputePodQOS in `pkg/apis/core/helper/qos/qos.go`. */
export function qosClassOf(spec: PodSpec | undefined): string {
  const all = spec?.resources
    ? [spec.resources]
    : [...spec?.containers ?? [], ...spec?.initContainers ?? []].map(({ resources }) => resources);
  const limits = all.map((resources) => counted(resources?.limits));
  const requested = all.reduce((sum, resources) => addAmounts(sum, counted(resources?.requests)), counted({}));
  const limited = limits.reduce(addAmounts, counted({}));
  if (requested.size + limited.size === 0) return "BestEffort";
  const isLimited = limits.every(({ size }) => size === COUNTED.length);
  return isLimited && sameAmounts(requested, limited) ? "Guaranteed" : "Burstable";
}
