import { isConditionTrue, type Node, type Pod } from "../../api/mod.ts";

/** Phases of unfinished pods; any other phase counts as ended, even an empty one. */
const OPEN_PHASES: ReadonlySet<string> = new Set(["Pending", "Running", "Unknown"]);

const OUT_OF_SERVICE_TAINT = "node.kubernetes.io/out-of-service";

/**
 * The surplus of ended pods in all namespaces together: evicted ones first, then the oldest.
 * Upstream: `pkg/controller/podgc/gc_controller.go` (gcTerminated), as all of this file.
 *
 * @param threshold How many may stay; with none, or less, all may.
 */
export function excessPods(pods: readonly Pod[], threshold: number): Pod[] {
  if (threshold <= 0) return [];
  const ended = pods.filter(({ status }) => !OPEN_PHASES.has(status?.phase ?? ""));
  const excess = ended.length - threshold;
  return excess <= 0 ? [] : ended.sort(byEvictionAndAge).slice(0, excess);
}

function byEvictionAndAge(a: Pod, b: Pod): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  const [createdA, createdB] = [a, b].map(({ metadata }) => metadata?.creationTimestamp ?? "");
  if (createdA !== createdB) return createdA < createdB ? -1 : 1;
  return (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1;
}

function isEvicted({ status }: Pod): boolean {
  return status?.phase === "Failed" && status.reason === "Evicted";
}

/** The terminating pods whose node is declared out of service: no kubelet will end them. */
export function podsOutOfService(pods: readonly Pod[], nodeOf: (name: string) => Node | undefined): Pod[] {
  return pods.filter(({ metadata, spec }) => {
    if (!metadata?.deletionTimestamp || !spec?.nodeName) return false;
    const node = nodeOf(spec.nodeName);
    return node !== undefined && isOutOfService(node);
  });
}

function isOutOfService({ spec, status }: Node): boolean {
  // A kubelet that is healthy after all ends its pods itself.
  if (isConditionTrue(status?.conditions, "Ready")) return false;
  return spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE_TAINT) ?? false;
}

/** Names of missing nodes to which pods are bound. */
export function missingNodes(pods: readonly Pod[], nodes: ReadonlySet<string>): Set<string> {
  const names = pods.map(({ spec }) => spec?.nodeName ?? "");
  return new Set(names.filter((name) => name !== "" && !nodes.has(name)));
}

/** The pods that are bound to one of these nodes. */
export function podsOn(pods: readonly Pod[], nodes: ReadonlySet<string>): Pod[] {
  return pods.filter(({ spec }) => spec?.nodeName && nodes.has(spec.nodeName));
}

/** The terminating pods without a node: no kubelet will end them. */
export function podsNeverBound(pods: readonly Pod[]): Pod[] {
  return pods.filter(({ metadata, spec }) => metadata?.deletionTimestamp && !spec?.nodeName);
}
