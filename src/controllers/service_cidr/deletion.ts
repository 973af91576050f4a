import type { ServiceCIDR } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import type { CidrContext } from "./context.ts";
import { isAllocatable } from "./allocatable.ts";
import { allocated, isCovered, isMarked, rangesOf } from "./ranges.ts";

type DeletionContext = Pick<CidrContext, "world" | "cidrs" | "addresses">;

/**
 * Whether all Services' addresses in this ServiceCIDR are also in another one, which may itself be terminating.
 * Upstream: `pkg/controller/servicecidrs/servicecidrs_controller.go` (canDeleteCIDR).
 */
export async function mayGo(cidr: ServiceCIDR, context: DeletionContext): Promise<boolean> {
  const { world: { clock, log } } = context;
  const name = cidr.metadata?.name;
  const blocking = await new TurnBudget(clock).run(firstOrphan(cidr, context));
  if (blocking === undefined) return true;
  log.info("Deleting ServiceCIDR blocked by IP address", { serviceCIDR: name, ipAddress: blocking });
  return false;
}

/** The name of an address that no other ServiceCIDR contains. A large cluster has a hundred thousand to check. */
function* firstOrphan(cidr: ServiceCIDR, { cidrs, addresses }: DeletionContext): Generator<void, string | undefined> {
  const others = cidrs.list().filter(({ metadata }) => metadata?.name !== cidr.metadata?.name);
  if (isCovered(cidr, others)) return undefined;
  for (const own of rangesOf(cidr)) {
    const rivals = others.flatMap(rangesOf).filter(({ family }) => family === own.family);
    for (const object of addresses.list()) {
      yield;
      const address = allocated(object);
      if (!address || !isMarked(object, own.family) || !isAllocatable(own, address)) continue;
      if (!rivals.some((range) => isAllocatable(range, address))) return object.metadata?.name;
    }
  }
}
