import { groupResource } from "../../../api/mod.ts";
import type { Route, Verb } from "../requests/mod.ts";

/** What goes wrong with which requests. Without conditions it is every request to a resource. */
export interface Fault {
  readonly verb?: Verb;
  /** `pods`, `deployments.apps`, or `pods/status` for a subresource. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Part of the client's `User-Agent`: each controller has its own name in it. */
  readonly userAgent?: string;
  /** How many requests it meets; all by default. */
  readonly times?: number;
  /** How many matching requests pass unharmed first. */
  readonly after?: number;
  /** Waits before the request is served, or refused. */
  readonly delayMs?: number;
  /** Answers with this status instead of serving the request. */
  readonly status?: {
    readonly code: number;
    readonly reason?: string;
    readonly message?: string;
    readonly retryAfterSeconds?: number;
  };
  /** Loses the connection: `before` the request is served, or `after`, when only the answer is lost. */
  readonly drop?: "before" | "after";
  /** Serves the request twice, as when a network repeats it, and gives the first answer; a watch tells each event twice. */
  readonly duplicate?: boolean;
  /** Reads see the state of this long ago, and watches hear of each event this much later, as from a replica that lags. */
  readonly lagMs?: number;
}

/** Whether `fault` is about such a request. */
export function isMetBy(fault: Fault, route: Route, userAgent: string): boolean {
  const { verb, served, namespace, name, subresource } = route;
  const resource = groupResource(served) + (subresource ? `/${subresource}` : "");
  return (fault.verb ?? verb) === verb && (fault.resource ?? resource) === resource &&
    (fault.namespace ?? namespace) === namespace && (fault.name ?? name) === name &&
    (fault.userAgent === undefined || userAgent.includes(fault.userAgent));
}
