import { getPodCondition, isPodActive } from "../../rules/mod.ts";
import { parseTime, type Pod, POD_DELETION_COST_ANNOTATION } from "../../api/mod.ts";

/** No leading plus, no leading zero unless a minus comes before it. */
const COST = /^(0|[1-9]\d*|-\d+)$/;
const SMALLEST = -(2 ** 31);
const LARGEST = 2 ** 31 - 1;

/** What decides how early a pod is deleted, read once per pod. */
interface Candidate {
  readonly pod: Pod;
  readonly uid: string;
  readonly isAssigned: boolean;
  readonly phase: number;
  readonly isReady: boolean;
  readonly cost: number;
  readonly rank: number;
  /** Milliseconds since 1970; `undefined` if the time is not set. */
  readonly readySinceMs: number | undefined;
  readonly createdAtMs: number | undefined;
  readonly restarts: number;
  readonly sidecarRestarts: number;
}

/** Pods of another or no phase count as pending, as an absent entry of the Go map does. */
const PHASE_ORDER: ReadonlyMap<string, number> = new Map([["Pending", 0], ["Unknown", 1], ["Running", 2]]);

/**
 * The pods in the order of deletion: the least useful ones first.
 * Upstream: `pkg/controller/controller_utils.go` (ActivePodsWithRanks).
 *
 * @param options.related Related pods; a pod on a node with more of them is deleted earlier.
 * @param options.nowMs The wall clock; ages are compared by their order of magnitude.
 * @param options.ignoresCost Whether to ignore the annotation with a pod's deletion cost.
 */
export function rankForDeletion(
  pods: readonly Pod[],
  { related, nowMs, ignoresCost = false }: {
    readonly related: readonly Pod[];
    readonly nowMs: number;
    readonly ignoresCost?: boolean;
  },
): Pod[] {
  const crowd = activePodsByNode(related);
  const candidates = pods.map((pod) => ({
    ...candidateOf(pod, crowd.get(pod.spec?.nodeName ?? "") ?? 0),
    ...ignoresCost ? { cost: 0 } : {},
  }));
  return candidates.sort((a, b) => compareCandidates(a, b, nowMs)).map(({ pod }) => pod);
}

function activePodsByNode(pods: readonly Pod[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    if (!isPodActive(pod)) continue;
    const node = pod.spec?.nodeName ?? "";
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

function candidateOf(pod: Pod, rank: number): Candidate {
  const ready = getPodCondition(pod, "Ready");
  const isReady = ready?.status === "True";
  const sidecars = new Set(
    pod.spec?.initContainers?.filter((container) => container.restartPolicy === "Always").map(({ name }) => name),
  );
  return {
    pod,
    uid: pod.metadata?.uid ?? "",
    isAssigned: Boolean(pod.spec?.nodeName),
    phase: PHASE_ORDER.get(pod.status?.phase ?? "") ?? 0,
    isReady,
    cost: deletionCost(pod),
    rank,
    readySinceMs: isReady ? timeMs(ready?.lastTransitionTime) : undefined,
    createdAtMs: timeMs(pod.metadata?.creationTimestamp),
    restarts: mostRestarts(pod.status?.containerStatuses),
    sidecarRestarts: mostRestarts(pod.status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name))),
  };
}

/** Negative if `a` must be deleted before `b`. The first rule by which they differ decides. */
function compareCandidates(a: Candidate, b: Candidate, nowMs: number): number {
  if (a.isAssigned !== b.isAssigned) return a.isAssigned ? 1 : -1;
  if (a.phase !== b.phase) return a.phase - b.phase;
  if (a.isReady !== b.isReady) return a.isReady ? 1 : -1;
  if (a.cost !== b.cost) return a.cost - b.cost;
  if (a.rank !== b.rank) return b.rank - a.rank;
  if (a.isReady && a.readySinceMs !== b.readySinceMs) return compareAges(a, b, "readySinceMs", nowMs);
  if (a.restarts !== b.restarts) return b.restarts - a.restarts;
  if (a.sidecarRestarts !== b.sidecarRestarts) return b.sidecarRestarts - a.sidecarRestarts;
  if (a.createdAtMs !== b.createdAtMs) return compareAges(a, b, "createdAtMs", nowMs);
  return 0;
}

/**
 * Times that differ: none first, then by the order of magnitude of the age, within one by uid so that it looks random.
 */
function compareAges(a: Candidate, b: Candidate, time: "readySinceMs" | "createdAtMs", nowMs: number): number {
  const sinceA = a[time];
  const sinceB = b[time];
  if (sinceA === undefined || sinceB === undefined) return sinceA === undefined ? -1 : 1;
  return ageBucket(nowMs - sinceA) - ageBucket(nowMs - sinceB) || (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0);
}

/** The whole binary logarithm of an age in nanoseconds; -1 for a time that is not past. */
function ageBucket(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
}

function mostRestarts(statuses: readonly { readonly restartCount: number }[] | undefined): number {
  return statuses?.reduce((most, { restartCount }) => Math.max(most, restartCount), 0) ?? 0;
}

function timeMs(text: string | undefined): number | undefined {
  return text ? parseTime(text) : undefined;
}

/**
 * The pod's deletion cost by its annotation; 0 if that is missing or not a 32-bit integer.
 * Upstream: `pkg/apis/core/helper/helpers.go` (GetDeletionCostFromPodAnnotations).
 */
function deletionCost(pod: Pod): number {
  const text = pod.metadata?.annotations?.[POD_DELETION_COST_ANNOTATION];
  if (text === undefined || !COST.test(text)) return 0;
  const cost = Number(text);
  return cost < SMALLEST || cost > LARGEST ? 0 : cost + 0;
}
