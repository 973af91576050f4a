import { parallelize, type TurnBudget } from "../../base/mod.ts";
import type { Service } from "../../api/mod.ts";
import { ImplementedElsewhereError } from "../../cloud/mod.ts";
import type { BalancerContext } from "./context.ts";
import { sayNoNodes, tell, warn } from "./events.ts";
import { cloudText } from "./failures.ts";
import { isSameSet, type TargetSet } from "./target_nodes.ts";
import { isToHaveNone } from "./wants.ts";

/** How many node names an event shows. */
const MOST_NAMES = 20;

interface NodeSyncOptions {
  /** How many balancers are updated at a time. */
  readonly workers: number;
  readonly budget: TurnBudget;
  readonly signal: AbortSignal;
}

/**
 * Updates the nodes of all known Services' balancers. A busy Service is left to its holder. Never rejects. Upstream:
 * syncNodes.
 */
export async function syncNodes(context: BalancerContext, { workers, budget, signal }: NodeSyncOptions): Promise<void> {
  const { world: { clock }, known, holds, metrics } = context;
  const begunMs = clock.monotonicMs();
  const { keys } = known;
  await parallelize(workers, keys.length, async (i) => {
    if (budget.spent) await budget.nextTurn();
    if (holds.missNodes(keys[i])) return;
    using _hold = holds.take(keys[i]);
    await updateTargets(keys[i], context, signal);
  }, signal);
  metrics.nodeSyncSeconds.observe((clock.monotonicMs() - begunMs) / 1000);
}

/**
 * Updates the nodes of a Service's balancer if they changed. If that fails, the Service is queued, so that its whole
 * balancer is checked. Upstream: nodeSyncService.
 */
export async function updateTargets(key: string, context: BalancerContext, signal: AbortSignal): Promise<void> {
  const { known, targets: { current }, metrics, queue, world: { log } } = context;
  const entry = known.get(key);
  // Departure: a balancer that must be deleted gets no new nodes.
  if (!entry || isToHaveNone(entry.service)) return;
  const last = entry.targets;
  // Departure: a balancer that was never ensured gets its nodes by that; upstream may update before it ensures.
  if (!last) return;
  // Before the call: a failure is retried with the whole Service.
  entry.targets = current;
  if (isSameSet(last, current)) return;
  try {
    await update(entry.service, current, context, signal);
  } catch (error) {
    if (signal.aborted) return;
    log.error("Failed to update load balancer hosts for service", { err: cloudText(error), service: key });
    metrics.nodeErrors.inc();
    queue.add(key, "its load balancer could not be given new nodes");
  }
}

async function update(
  service: Service,
  { nodes }: TargetSet,
  context: BalancerContext,
  signal: AbortSignal,
): Promise<void> {
  const { balancers, clusterName, metrics, world: { clock } } = context;
  const begunMs = clock.monotonicMs();
  metrics.updates.inc();
  try {
    await balancers.updateLoadBalancer(clusterName, service, nodes, signal);
    if (nodes.length === 0) sayNoNodes(service, context);
    else tell(service, context, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
  } catch (error) {
    if (error instanceof ImplementedElsewhereError || signal.aborted) return;
    if (await isGone(service, context, signal)) return; // a sync of the Service creates it with these nodes
    const message = `Error updating load balancer with new hosts [${namesOf(nodes)}] ` +
      `[node names limited, total number of nodes: ${nodes.length}], error: ${cloudText(error)}`;
    warn(service, context, "UpdateLoadBalancerFailed", message);
    throw error;
  } finally {
    metrics.updateSeconds.observe((clock.monotonicMs() - begunMs) / 1000);
  }
}

/** Whether there is certainly no balancer. */
async function isGone(
  service: Service,
  { balancers, clusterName, world: { log } }: BalancerContext,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await balancers.getLoadBalancer(clusterName, service, signal) === null;
  } catch (error) {
    const { namespace, name } = service.metadata ?? {};
    log.error("Failed to check if load balancer exists for service", {
      err: cloudText(error),
      service: `${namespace}/${name}`,
    });
    return false;
  }
}

/** Names of nodes, which are sorted, not too many of them. */
function namesOf(nodes: TargetSet["nodes"]): string {
  const names = nodes.slice(0, MOST_NAMES).map(({ metadata }) => metadata?.name ?? "");
  if (nodes.length > MOST_NAMES) names.push(`<${nodes.length - MOST_NAMES} more>`);
  return names.join(" ");
}
