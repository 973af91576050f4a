import { groupResource } from "../../../api/mod.ts";
import type { Route, Verb } from "../requests/mod.ts";

/** What goes wrong, and for which requests. Without conditions it affects every request to a resource. */
export interface Fault {
  readonly verb?: Verb;
  /** `pods`, `deployments.apps`, or `pods/status` for a subresource. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** A part of the client's `User-Agent`, which contains the controller's name. */
  readonly userAgent?: string;
  /** How many requests it affects; all by default. */
  readonly times?: number;
  /** How many matching requests it lets pass first. */
  readonly after?: number;
  /** Waits before it serves or refuses the request. */
  readonly delayMs?: number;
  /** Responds with this status instead of serving the request. */
  readonly status?: {
    readonly code: number;
    readonly reason?: string;
    readonly message?: string;
    readonly retryAfterSeconds?: number;
  };
  /** Drops the connection: `before` the request is served, or `after`, so that only the response is lost. */
  readonly drop?: "before" | "after";
  /** Serves the request twice, as if repeated, and returns the first response; a watch sends each event twice. */
  readonly duplicate?: boolean;
  /** Reads show the state this long ago, and watches send each event this much later, like a lagging replica. */
  readonly lagMs?: number;
}

/** Whether `fault` affects such a request. */
export function isMetBy(fault: Fault, route: Route, userAgent: string): boolean {
  const { verb, served, namespace, name, subresource } = route;
  const resource = groupResource(served) + (subresource ? `/${subresource}` : "");
  return (fault.verb ?? verb) === verb && (fault.resource ?? resource) === resource &&
    (fault.namespace ?? namespace) === namespace && (fault.name ?? name) === name &&
    (fault.userAgent === undefined || userAgent.includes(fault.userAgent));
}
