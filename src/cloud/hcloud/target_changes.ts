import type { Balancer } from "./balancer.ts";
import type { BalancerChange } from "./balancer_changes.ts";

/** The changes that make connections go to the right servers. */
export interface TargetChanges {
  readonly removals: readonly BalancerChange[];
  /** One for each server that is not a target yet, in the order of the servers. */
  readonly additions: readonly { readonly server: number; readonly change: BalancerChange }[];
  /** How many targets there are after the removals. */
  readonly remaining: number;
}

/**
 * The changes that give a load balancer the right targets. Targets selected by label belong to others and stay.
 * Upstream: `hcloud-cloud-controller-manager/internal/hcops` (ReconcileHCLBTargets).
 *
 * @param servers IDs of the servers that must be targets, by any address.
 */
export function targetChanges(
  { targets }: Pick<Balancer, "targets">,
  servers: readonly number[],
  usesPrivateIp: boolean,
): TargetChanges {
  const wanted = new Set(servers);
  const removals: BalancerChange[] = [];
  for (const target of targets) {
    if (target.kind === "ip") {
      removals.push({ kind: "act", action: "remove_target", body: { type: "ip", ip: { ip: target.ip } } });
    } else if (target.kind === "server") {
      if (target.usesPrivateIp === usesPrivateIp && wanted.delete(target.server)) continue;
      const body = { type: "server", server: { id: target.server } };
      removals.push({ kind: "act", action: "remove_target", body });
    }
  }
  const additions = [...wanted].map((server) => {
    const body = { type: "server", server: { id: server }, use_private_ip: usesPrivateIp };
    return { server, change: { kind: "act", action: "add_target", body } as const };
  });
  return { removals, additions, remaining: targets.length - removals.length };
}
