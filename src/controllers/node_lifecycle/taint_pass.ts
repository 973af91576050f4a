import { errorText, sleep } from "../../base/mod.ts";
import { NODES } from "../../api/mod.ts";
import { hasTaint, zoneKeyOf } from "../nodes/mod.ts";
import { type Journal, journaled } from "../running/mod.ts";
import type { LifecycleContext } from "./context.ts";
import { readyOf } from "./health.ts";
import { readyTaints } from "./ready_taints.ts";
import type { TaintAttempt } from "./taint_queue.ts";
import type { Zones } from "./zones.ts";

/** When a node without a status is checked again. */
const UNSAID_RETRY_MS = 50;

type TaintPassContext =
  & Pick<LifecycleContext, "name" | "world" | "nodes" | "time" | "releases" | "metrics">
  & { readonly journal: Journal; readonly zones: Zones };

/** The pause between passes over the nodes to taint, while any are waiting. */
const PERIOD_MS = 100;

/** Taints waiting nodes until `signal` aborts. */
export async function keepTainting(context: TaintPassContext, signal: AbortSignal): Promise<void> {
  const { zones, world: { clock } } = context;
  while (!signal.aborted) {
    await zones.whenWaiting(signal);
    await taintNodes(context);
    if (zones.waiting.length > 0) await sleep(clock, PERIOD_MS, signal);
  }
}

/**
 * Taints the nodes whose turn it is, zone by zone; taint-eviction-controller then evicts their pods. Skips all while
 * caches may be far behind because this process was frozen: most nodes may have recovered.
 */
async function taintNodes(context: TaintPassContext): Promise<void> {
  for (const queue of context.zones.waiting) {
    if (context.time.settlingMs() > 0) return;
    await queue.run((name) => taintNode(name, context));
  }
}

async function taintNode(name: string, context: TaintPassContext): Promise<TaintAttempt> {
  const { world: { log }, nodes, releases, metrics } = context;
  const node = nodes.get(undefined, name);
  if (!node) return "done";
  const ready = readyOf(node);
  if (!ready) return { retryInMs: UNSAID_RETRY_MS };
  const taints = readyTaints(ready.status);
  if (!taints) return "done"; // it is healthy again
  const { wanted, opposite } = taints;
  if (hasTaint(node.spec?.taints, wanted) && !hasTaint(node.spec?.taints, opposite)) return "done";
  const cause = `the node's condition Ready is ${ready.status}`;
  try {
    const work = { controller: context.name, kind: NODES.kind, key: name, cause };
    await journaled(work, context, () => releases.taint(node, taints));
  } catch (error) {
    log.error("Unable to taint unresponsive node", { err: errorText(error), node: name });
    return { retryInMs: 0 };
  }
  metrics.evicted(zoneKeyOf(node));
  return "done";
}
