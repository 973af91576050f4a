import type { Balancer, BalancerService } from "./balancer.ts";
import type { BalancerChange } from "./balancer_changes.ts";

/**
 * The writes, in order, that give a load balancer the ports that a Service wants. Unwanted ports are removed
 * last, or first if the load balancer has no room for the new ones beside them. Upstream:
 * `hcloud-cloud-controller-manager/internal/hcops` (ReconcileHCLBServices), which writes every port each time, and
 * always removes last.
 *
 * @param certificates The IDs of the certificates that each port must have; `undefined` means no preference.
 */
export function serviceChanges(
  { services, maxServices }: Pick<Balancer, "services" | "maxServices">,
  wishes: readonly BalancerService[],
  certificates: readonly number[] | undefined,
): BalancerChange[] {
  const wanted = new Set(wishes.map(({ listen_port }) => listen_port));
  const changes: BalancerChange[] = [];
  for (const wish of wishes) {
    const body: BalancerService = certificates ? { ...wish, http: { ...wish.http, certificates } } : wish;
    const current = services.find(({ listen_port }) => listen_port === wish.listen_port);
    if (!current) changes.push({ kind: "act", action: "add_service", body });
    else if (!isSatisfied(current, body)) changes.push({ kind: "act", action: "update_service", body });
  }
  const removals = services.filter(({ listen_port }) => !wanted.has(listen_port)).map(({ listen_port }) => (
    { kind: "act", action: "delete_service", body: { listen_port } } as const
  ));
  return wanted.size + removals.length > maxServices ? [...removals, ...changes] : [...changes, ...removals];
}

/** Whether `current` satisfies `wish`. */
function isSatisfied(current: BalancerService, wish: BalancerService): boolean {
  // HTTP settings of a TCP port have no effect, and the API does not store them.
  const { http: wishedHttp, ...rest } = wish;
  return contains(current, rest) && (wish.protocol === "tcp" || contains(current.http ?? {}, wishedHttp ?? {}));
}

/** Whether `current` contains everything in `wish`, recursively. Lists are compared as sets. */
function contains(current: unknown, wish: unknown): boolean {
  if (Array.isArray(wish)) {
    return Array.isArray(current) && new Set(current).symmetricDifference(new Set(wish)).size === 0;
  }
  if (typeof wish !== "object" || wish === null) return Object.is(current, wish);
  const fields: Readonly<Record<string, unknown>> = typeof current === "object" && current !== null
    ? current as Record<string, unknown>
    : {};
  return Object.entries(wish).every(([name, value]) => contains(fields[name], value));
}
