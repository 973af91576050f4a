import type { Service } from "../../api/mod.ts";
import type { BalancerContext } from "./context.ts";

type EventContext = Pick<BalancerContext, "recorder">;

/** Records a normal event. */
export function tell(service: Service, { recorder }: EventContext, reason: string, message: string): void {
  recorder.event(service, "Normal", reason, message);
}

/** Records a warning event. */
export function warn(service: Service, { recorder }: EventContext, reason: string, message: string): void {
  recorder.event(service, "Warning", reason, message);
}

/** Records an event that a balancer has no targets. */
export function sayNoNodes(service: Service, context: EventContext): void {
  warn(service, context, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
}
