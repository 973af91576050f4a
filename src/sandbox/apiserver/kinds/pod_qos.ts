import { type Container, type Pod, Quantity } from "../../../api/mod.ts";

const COUNTED = ["cpu", "memory"];

function isPositive(value: string | number | undefined): boolean {
  return value !== undefined && Quantity.parse(value).compare(Quantity.parse("0")) > 0;
}

function sameQuantity(a: string | number, b: string | number): boolean {
  return Quantity.parse(a).compare(Quantity.parse(b)) === 0;
}

function isGuaranteed({ resources = {} }: Container): boolean {
  return COUNTED.every((name) => {
    const limit = resources.limits?.[name];
    const request = resources.requests?.[name] ?? limit;
    return limit !== undefined && isPositive(limit) && request !== undefined && sameQuantity(limit, request);
  });
}

/** The quality-of-service class of a pod. Upstream: `pkg/apis/core/helper/qos/qos.go`. */
export function qosClassOf({ spec }: Pod): string {
  const containers = [...spec?.initContainers ?? [], ...spec?.containers ?? []];
  const counts = ({ resources = {} }: Container) =>
    COUNTED.some((name) => isPositive(resources.limits?.[name]) || isPositive(resources.requests?.[name]));
  if (!containers.some(counts)) return "BestEffort";
  return containers.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}
