import type { Balancer, BalancerService } from "./balancer.ts";
import type { BalancerChange } from "./balancer_changes.ts";

/**
 * The writes, in order, that give a load balancer the ports that a Service wants. Unwanted ports are removed last.
 * Upstream: `hcloud-cloud-controller-manager/internal/hcops` (ReconcileHCLBServices), which writes every port each
 * time.
 *
 * @param certificates The IDs of the certificates that each port must have; `undefined` means no preference.
 */
export function serviceChanges(
  { services }: Pick<Balancer, "services">,
  wishes: readonly BalancerService[],
  certificates: readonly number[] | undefined,
): BalancerChange[] {
  const changes: BalancerChange[] = [];
  const wanted = new Set<number>();
  for (const wish of wishes) {
    wanted.add(wish.listen_port);
    const body: BalancerService = certificates ? { ...wish, http: { ...wish.http, certificates } } : wish;
    const current = services.find(({ listen_port }) => listen_port === wish.listen_port);
    if (!current) changes.push({ kind: "act", action: "add_service", body });
    else if (!isSatisfied(current, body)) changes.push({ kind: "act", action: "update_service", body });
  }
  for (const { listen_port } of services) {
    if (!wanted.has(listen_port)) changes.push({ kind: "act", action: "delete_service", body: { listen_port } });
  }
  return changes;
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
