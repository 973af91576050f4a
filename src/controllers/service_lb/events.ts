import type { Service } from "../../api/mod.ts";
import type { BalancerContext } from "./context.ts";

type EventContext = Pick<BalancerContext, "recorder">;

/** Tells what went well. */
export function tell(service: Service, { recorder }: EventContext, reason: string, message: string): void {
  recorder.event(service, "Normal", reason, message);
}

/** Tells what did not. */
export function warn(service: Service, { recorder }: EventContext, reason: string, message: string): void {
  recorder.event(service, "Warning", reason, message);
}

/** Says that a balancer sends its traffic to nobody. */
export function sayNoNodes(service: Service, context: EventContext): void {
  warn(service, context, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
}
