import { namedNodes, type PersistentVolumeClaim } from "../../api/mod.ts";
import type { Snapshot } from "./cluster_state.ts";
import { filtersOf, type NodeFilter } from "./filters.ts";
import type { NodeInfo } from "./node_info.ts";
import type { PodInfo } from "./pod_info.ts";
import { never, type Rejection } from "./rejection.ts";
import { compareScores, type Score, scorer } from "./scores.ts";
import type { StaticVolumes } from "./static_volumes.ts";
import { podClaims } from "./volume_binding.ts";

/** The node for a pod, or why there is none. */
export type Choice =
  | {
    readonly kind: "node";
    readonly node: string;
    /** Claims whose volumes must be provisioned for that node before the pod is bound. */
    readonly waiting: readonly PersistentVolumeClaim[];
    /** Existing volumes for some of them; absent if there are none. */
    readonly volumes?: StaticVolumes;
  }
  | { readonly kind: "none"; readonly message: string };

const NOT_NAMED = never("node(s) didn't satisfy plugin(s) [NodeAffinity]");
const NO_CLAIMS: readonly PersistentVolumeClaim[] = [];

/**
 * Chooses a node for a pod, in steps for `TurnBudget.run`: each is small however many nodes, volumes and claims there
 * are. The message for a pod that fits nowhere is kube-scheduler's; since there is no preemption here, it never names a
 * victim.
 *
 * Upstream: `pkg/scheduler/schedule_one.go` (schedulePod), `pkg/scheduler/framework/types.go` (FitError).
 *
 * @example
 * ```ts
 * import { FakeClock, TurnBudget } from "../../base/mod.ts";
 * import { chooseNode, ClusterState, podInfo } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const state = new ClusterState();
 * for (const name of ["a", "b"]) state.putNode({ metadata: { name }, status: { allocatable: { cpu: "1", pods: "10" } } });
 * const pod = (uid: string, cpu: string) =>
 *   podInfo({ metadata: { uid }, spec: { containers: [{ name: "c", resources: { requests: { cpu } } }] } });
 * state.putPod(pod("1", "500m"), "a");
 * const budget = new TurnBudget(new FakeClock());
 * assertEquals(await budget.run(chooseNode(pod("2", "500m"), state)), { kind: "node", node: "b", waiting: [] });
 * assertEquals(
 *   await budget.run(chooseNode(pod("3", "2"), state)),
 *   {
 *     kind: "none",
 *     message: "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, " +
 *       "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
 *   },
 * );
 * ```
 */
export function* chooseNode(pod: PodInfo, snapshot: Snapshot): Generator<void, Choice> {
  const { nodes } = snapshot;
  if (nodes.length === 0) return { kind: "none", message: "no nodes available to schedule pods" };
  const named = namedNodes(pod.pod);
  const candidates = named ? nodes.filter(({ name }) => named.has(name)) : nodes;
  const claims = yield* podClaims(pod.pod, snapshot.volumes);
  const why = named?.size === 0
    ? "pod affinity terms conflict"
    : claims?.kind === "impossible"
    ? claims.why
    : undefined;
  if (why) return { kind: "none", message: messageOf(pod, nodes.length, { why, rejections: [] }) };
  const filters = filtersOf(pod, snapshot, claims);
  const scoreOf = scorer(pod, snapshot);
  const rejections: Rejection[] = [];
  let best: NodeInfo | undefined;
  let bestScore: Score = [];
  for (const node of candidates) {
    yield;
    const rejection = yield* rejectionOf(node, filters);
    if (rejection) {
      if (!best) rejections.push(rejection);
      continue;
    }
    const score = scoreOf(node);
    if (best && compareScores(score, bestScore) >= 0) continue;
    best = node;
    bestScore = score;
  }
  if (best) {
    if (claims?.kind !== "possible") return { kind: "node", node: best.name, waiting: NO_CLAIMS };
    const volumes = yield* claims.staticOn(best);
    return { kind: "node", node: best.name, waiting: claims.waiting, ...volumes?.size && { volumes } };
  }
  for (let i = candidates.length; i < nodes.length; i++) rejections.push(NOT_NAMED);
  return { kind: "none", message: messageOf(pod, nodes.length, { rejections }) };
}

function* rejectionOf(node: NodeInfo, filters: readonly NodeFilter[]): Generator<void, Rejection | undefined> {
  for (const filter of filters) {
    const found = filter(node);
    const rejection = found && "next" in found ? yield* found : found;
    if (rejection) return rejection;
  }
  return undefined;
}

interface Misfit {
  /** Why no node can be suitable. */
  readonly why?: string;
  /** Why each node is unsuitable. */
  readonly rejections: readonly Rejection[];
}

/**
 * The message ends with those plugins that might make room: first the one for dynamic resources, which has nothing to
 * say about a pod that was rejected early, then preemption.
 */
function messageOf({ pod }: PodInfo, nodeCount: number, { why, rejections }: Misfit): string {
  const none = `0/${nodeCount} nodes are available:`;
  if (why) return `${none} ${why}. not found`;
  const reasons = `${none} ${
    histogram(rejections.flatMap((rejection) => rejection.reasons))
  }. no new claims to deallocate,`;
  if (pod.spec?.preemptionPolicy === "Never") {
    return `${reasons} preemption: not eligible due to preemptionPolicy=Never.`;
  }
  const resolvable = rejections.filter(({ isResolvable }) => isResolvable).length;
  const preemption = histogram([
    ...Array.from({ length: resolvable }, () => "No preemption victims found for incoming pod"),
    ...Array.from({ length: nodeCount - resolvable }, () => "Preemption is not helpful for scheduling"),
  ]);
  return `${reasons} preemption: ${none} ${preemption}.`;
}

/** `1 this, 2 that`, sorted by text. */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`).sort().join(", ");
}
