import { type Node, NODES } from "../../api/mod.ts";
import { sleep, TurnBudget } from "../../base/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController, sayRunning } from "../running/mod.ts";
import { CidrPool } from "./cidr_pool.ts";
import type { IpamContext } from "./context.ts";
import { nodeHandler } from "./handlers.ts";
import { poolMetrics } from "./metrics.ts";
import { NodeRanges } from "./node_ranges.ts";
import { type IpamOptions, ipamSettings } from "./settings.ts";
import { syncNode } from "./sync.ts";

export const NAME = "node-ipam-controller";
export const CLIENT_NAME = "node-controller";
export const QUEUE = "cidrallocator_node";
/** The component in its events. */
const EVENT_COMPONENT = "cidrAllocator";
const WORKERS = 30;
const LIST_RETRY_MS = 10_000;
const LIST_WITHIN_MS = 600_000;

/** @returns Nothing without `--allocate-node-cidrs`. */
export function buildNodeIpam(context: ControllerContext, options: IpamOptions): Controller | undefined {
  if (!options.allocates) return undefined;
  const { world, metrics, informers, journal } = context;
  const { clusterRanges, serviceRanges } = ipamSettings(options, world.log);
  const nodes = informers.informer(NODES, ["spec.podCIDRs"]);

  const poolsMetrics = poolMetrics(metrics);
  const ranges = new NodeRanges(clusterRanges.map((range) => new CidrPool(range, poolsMetrics)));
  for (const services of serviceRanges) ranges.reserve(services);
  const working: IpamContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(EVENT_COMPONENT, CLIENT_NAME),
    nodes: nodes.lister,
    ranges,
  };
  const queue = new WorkQueue({ world, name: QUEUE, metrics });
  const syncing = queueController({
    name: NAME,
    world,
    journal,
    resource: NODES,
    queue,
    caches: [nodes.addEventHandler(nodeHandler(queue, ranges))],
    workers: WORKERS,
    sync: (key, { signal }) => syncNode(key, working, signal),
  });
  return {
    async run(signal) {
      const ended = sayRunning(context, "nodeipam");
      try {
        // Only once it leads, because until then another process allocates ranges; and not from the cache, which may
        // lag.
        await ranges.fill(() => listNodes(working, signal), new TurnBudget(world.clock));
        await syncing.run(signal);
      } finally {
        ended();
      }
    },
  };
}

/**
 * All nodes, read from the API server.
 *
 * @throws {Error} If that fails for ten minutes.
 */
async function listNodes(
  { world: { clock, log }, client }: IpamContext,
  signal: AbortSignal,
): Promise<readonly Node[]> {
  const deadlineMs = clock.monotonicMs() + LIST_WITHIN_MS;
  while (!signal.aborted) {
    try {
      return (await client.listPages(NODES, { signal })).items;
    } catch (err) {
      if (signal.aborted) break;
      log.error("Failed to list all nodes", { err });
      if (clock.monotonicMs() + LIST_RETRY_MS > deadlineMs) {
        throw new Error("failed to list all nodes in 10m0s, cannot proceed without updating CIDR map", { cause: err });
      }
    }
    await sleep(clock, LIST_RETRY_MS, signal);
  }
  return []; // nothing is allocated any more
}
