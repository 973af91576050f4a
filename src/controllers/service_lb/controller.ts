import { NODES, SERVICES } from "../../api/mod.ts";
import { errorText, TurnBudget, type World } from "../../base/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController, sayRunning, together } from "../running/mod.ts";
import type { BalancerContext } from "./context.ts";
import { nodeHandler, serviceHandler } from "./handlers.ts";
import { Holds, ServiceBusyError } from "./holds.ts";
import { KnownServices } from "./known_services.ts";
import { balancerMetrics } from "./metrics.ts";
import { syncNodes } from "./node_sync.ts";
import { RetryLimiter, wishedWaitMs } from "./retries.ts";
import { syncService } from "./sync.ts";
import { TargetNodes } from "./target_nodes.ts";

export const NAME = "service-lb-controller";
/** The name of its client, account, and the component in its events. */
export const CLIENT_NAME = "service-controller";
export const QUEUES = { services: "service", nodes: "node" } as const;
/** How often Services that must lose their balancers are checked again. Nodes need no resync. */
const SERVICE_RESYNC_MS = 30_000;
/** When a busy Service is checked again. */
const BUSY_MS = 1_000;

/** What the flags say. */
export interface BalancerOptions {
  /** Services to process at the same time. */
  readonly workers: number;
  /** The cluster's name for the cloud. */
  readonly clusterName: string;
}

/** @returns `undefined` if the cloud has no balancers. */
export function buildServiceLbController(
  context: ControllerContext,
  { workers, clusterName }: BalancerOptions,
): Controller | undefined {
  const { world, metrics, informers, journal } = context;
  const balancers = context.cloud?.loadBalancers;
  if (!balancers) {
    world.log.error("the cloud provider does not support external load balancers");
    return undefined;
  }
  const services = informers.informer(SERVICES); // whole: the cloud gets them
  const nodes = informers.informer(NODES, ["spec", "status.addresses", "status.nodeInfo"]);
  const limiter = new RetryLimiter();
  const queue = new WorkQueue({ world, name: QUEUES.services, metrics, limiter });
  const nodeQueue = new WorkQueue({ world, name: QUEUES.nodes, metrics, limiter: new RetryLimiter() });
  const known = new KnownServices();
  const targets = new TargetNodes(nodes.lister);
  const working: BalancerContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(CLIENT_NAME),
    balancers,
    clusterName,
    services: services.lister,
    targets,
    known,
    holds: new Holds(),
    queue,
    metrics: balancerMetrics(metrics),
  };
  const caches = [
    services.addEventHandler(serviceHandler({ queue, known, log: world.log }), { resyncPeriodMs: SERVICE_RESYNC_MS }),
    nodes.addEventHandler(nodeHandler({ queue: nodeQueue, targets })),
  ];
  const budget = new TurnBudget(world.clock);
  const parts = together(
    queueController({
      name: NAME,
      world,
      journal,
      resource: SERVICES,
      queue,
      caches,
      workers,
      sync: (key, { signal }) => syncService(key, working, signal),
      onError: retrying(limiter, world),
    }),
    queueController({
      name: `${NAME}/nodes`,
      world,
      journal,
      resource: NODES,
      queue: nodeQueue,
      caches,
      workers: 1,
      sync: (_key, { signal }) => syncNodes(working, { workers: Math.max(1, workers), budget, signal }),
    }),
  );
  return {
    async run(signal) {
      const ended = sayRunning(context, "service");
      try {
        await parts.run(signal);
      } finally {
        ended();
      }
    },
  };
}

/** Decides when a failed Service is retried: without a limit, ever more rarely, or when the cloud asks for it. */
function retrying(limiter: RetryLimiter, { log }: Pick<World, "log">): (key: string, error: unknown) => "retry" {
  return (key, error) => {
    const wishMs = wishedWaitMs(error);
    if (error instanceof ServiceBusyError) {
      limiter.settle(key, BUSY_MS);
    } else if (wishMs === undefined) {
      log.error("Error processing service (retrying with exponential backoff)", {
        err: errorText(error),
        service: key,
      });
    } else {
      log.warn("Error processing service", { err: errorText(error), service: key, retryingInMs: wishMs });
      limiter.settle(key, wishMs);
    }
    return "retry";
  };
}
