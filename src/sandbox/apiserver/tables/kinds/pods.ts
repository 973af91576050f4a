import { isConditionTrue, type Pod } from "../../../../api/mod.ts";
import { AGE, ageOf, type Column, NAME, NONE, text, wide } from "../columns/mod.ts";
import { podSummary } from "./pod_status.ts";

function restartsText(pod: Pod, nowMs: number): string {
  const { restarts, lastRestart } = podSummary(pod);
  return restarts > 0 && lastRestart ? `${restarts} (${ageOf(lastRestart, nowMs)} ago)` : String(restarts);
}

function readinessText({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const met = gates.filter(({ conditionType }) => isConditionTrue(status?.conditions, conditionType));
  return `${met.length}/${gates.length}`;
}

function readyText(pod: Pod): string {
  const { ready, total } = podSummary(pod);
  return `${ready}/${total}`;
}

export const pods: readonly Column<Pod>[] = [
  NAME,
  text("Ready", readyText),
  text("Status", (pod) => podSummary(pod).status),
  text("Restarts", restartsText),
  AGE,
  wide("IP", "status.podIPs.0.ip", NONE),
  wide("Node", "spec.nodeName", NONE),
  wide("Nominated Node", "status.nominatedNodeName", NONE),
  wide("Readiness Gates", readinessText),
];
