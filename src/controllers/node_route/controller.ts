import { type Node, NODES } from "../../api/mod.ts";
import { deepEqual, sleep, type World } from "../../base/mod.ts";
import { type EventHandler, waitForNamedCacheSync } from "../../cache/mod.ts";
import { BucketLimiter, type RateLimiter, WorkQueue } from "../../workqueue/mod.ts";
import { clusterCidrs } from "../address_ranges/mod.ts";
import {
  cause,
  changeOf,
  type Controller,
  type ControllerContext,
  queueController,
  sayRunning,
} from "../running/mod.ts";
import type { RouteContext } from "./context.ts";
import { passCounter } from "./metrics.ts";
import { reconcileRoutes } from "./reconcile.ts";

export const NAME = "node-route-controller";
/** The name of its client and account. */
export const CLIENT_NAME = "route-controller";
export const QUEUE = "Routes";
/** The component in its events. */
const EVENT_COMPONENT = "route_controller";
const WATCHES_GATE = "CloudControllerManagerWatchBasedRoutesReconciliation";
/** The only key of its queue. */
const KEY = "routes";
const LEAST_PAUSE_MS = 10_000;

export interface RouteOptions {
  readonly configures: boolean;
  readonly periodMs: number;
  readonly clusterName: string;
  /** One range, or two of different families, separated by a comma. */
  readonly clusterRanges: string;
}

/** @throws {Error} If the cluster's ranges are unknown: its routes could not be distinguished from others. */
export function buildNodeRoute(context: ControllerContext, options: RouteOptions): Controller | undefined {
  const { world, metrics, informers, cloud, gates } = context;
  const { log } = world;
  if (!options.configures) {
    log.info("Will not configure cloud provider routes, --configure-cloud-routes: false");
    return undefined;
  }
  if (!cloud?.routes) {
    log.warn(
      "--configure-cloud-routes is set, but cloud provider does not support routes. " +
        "Will not configure cloud provider routes.",
    );
    return undefined;
  }
  const nodes = informers.informer(NODES, ["spec.podCIDRs", "status.addresses", "status.conditions"]);
  const working: RouteContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    nodes: nodes.lister,
    recorder: context.recorder(EVENT_COMPONENT, CLIENT_NAME),
    routes: cloud.routes,
    clusterName: options.clusterName,
    clusterRanges: clusterCidrs(options.clusterRanges),
    onPass: passCounter(metrics),
  };
  const reconciling = gates.has(WATCHES_GATE)
    ? whenNodesChange(context, working, nodes)
    : keepReconciling(working, options.periodMs, nodes);
  return {
    async run(signal) {
      const ended = sayRunning(context, "route");
      await reconciling.run(signal).finally(ended);
    },
  };
}

type NodeInformer = ReturnType<typeof nodesOf>;
const nodesOf = ({ informers }: ControllerContext) => informers.informer(NODES);

/** Reconciles every `periodMs`; a slow pass delays the next one. */
function keepReconciling(context: RouteContext, periodMs: number, nodes: NodeInformer): Controller {
  const { clock, log } = context.world;
  return {
    async run(signal) {
      if (!await waitForNamedCacheSync({ log, name: NAME, signal }, nodes)) return;
      while (!signal.aborted) {
        const dueMs = clock.monotonicMs() + periodMs;
        try {
          await reconcileRoutes(context, signal);
        } catch (err) {
          if (!signal.aborted) log.error("Couldn't reconcile node routes", { err });
        }
        await sleep(clock, Math.max(0, dueMs - clock.monotonicMs()), signal);
      }
    },
  };
}

/**
 * Reconciles when nodes are created, deleted or change their ranges or addresses, and at resyncs; at most every ten
 * seconds.
 */
function whenNodesChange(
  { metrics, journal }: ControllerContext,
  context: RouteContext,
  nodes: NodeInformer,
): Controller {
  const { world } = context;
  const queue = new WorkQueue({ world, name: QUEUE, metrics, limiter: onceInTenSeconds(world) });
  const handler: EventHandler<Node> = {
    onAdd: (node) => queue.addRateLimited(KEY, cause("node", node, "added")),
    onUpdate: (before, node) => {
      const isResync = before.metadata?.resourceVersion === node.metadata?.resourceVersion;
      const isOther = !deepEqual(before.spec?.podCIDRs, node.spec?.podCIDRs) ||
        !deepEqual(before.status?.addresses, node.status?.addresses);
      if (isResync || isOther) queue.addRateLimited(KEY, cause("node", node, changeOf(before, node)));
    },
    onDelete: () => queue.addRateLimited(KEY, "node deleted"),
  };
  return queueController({
    name: NAME,
    world,
    journal,
    queue,
    caches: [nodes.addEventHandler(handler)],
    workers: 1,
    sync: (_key, { signal }) => reconcileRoutes(context, signal),
  });
}

/** One pass at once, others ten seconds apart; none waits for longer, however many are requested. */
function onceInTenSeconds({ clock }: World): RateLimiter {
  const bucket = new BucketLimiter({ clock, perSecond: 1000 / LEAST_PAUSE_MS, burst: 1 });
  return {
    when: (key) => Math.min(bucket.when(key), LEAST_PAUSE_MS),
    forget: () => {},
    numRequeues: () => 0,
  };
}
