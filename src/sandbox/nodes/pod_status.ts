import { type ContainerStatus, findCondition, formatTime, type PodCondition, type PodStatus } from "../../api/mod.ts";
import { kubeletConditions } from "./conditions.ts";
import { containerStatus } from "./container_status.ts";
import type { ContainerStep } from "./container_step.ts";
import { phaseOf } from "./phase.ts";
import { type ContainerRole, containersOf } from "./plan.ts";
import { NO_PROBLEMS } from "./pod_sources.ts";
import { type PodRuntime, runOf } from "./pod_runtime.ts";

/** What a status depends on, besides the state of the containers. */
export interface StatusInput {
  readonly step: Omit<ContainerStep, "tell" | "wake" | "sources">;
  readonly runtime: PodRuntime;
  readonly hostIPs: readonly string[];
  /** Addresses of the pod, once it has them. */
  readonly podIPs: readonly string[];
  /** The present status; what is not a kubelet's part stays. */
  readonly before: PodStatus;
}

/** A kubelet's part of a pod's status. Upstream: `pkg/kubelet/kubelet_pods.go` (generateAPIPodStatus). */
export function podStatus({ step, runtime, hostIPs, podIPs, before }: StatusInput): PodStatus {
  const { pod, nowMs } = step;
  const quiet: ContainerStep = { ...step, plan: step.plan, pod, sources: NO_PROBLEMS, tell: () => {}, wake: () => {} };
  const now = formatTime(nowMs);
  const initStatuses = statusesOf(["init", "sidecar"], runtime, quiet);
  const statuses = statusesOf(["main"], runtime, quiet).sort(byName);
  const ephemeral = statusesOf(["ephemeral"], runtime, quiet).sort(byName);
  const phase = runtime.failure ? "Failed" : phaseOf({ pod, initStatuses, statuses, hasEnded: runtime.hasEnded });
  const conditions = kubeletConditions({
    pod,
    phase,
    hasSandbox: runtime.sandboxMs !== undefined && !runtime.hasEnded,
    initStatuses,
    statuses,
    before: before.conditions ?? [],
    now,
  });
  const { generation } = pod.metadata ?? {};
  return {
    ...generation ? { observedGeneration: generation } : {},
    phase,
    ...runtime.failure,
    startTime: before.startTime ?? formatTime(runtime.startMs),
    hostIP: hostIPs[0],
    hostIPs: hostIPs.map((ip) => ({ ip })),
    ...podIPs.length > 0 ? { podIP: podIPs[0], podIPs: podIPs.map((ip) => ({ ip })) } : {},
    conditions: [...conditions, ...disruption(runtime, { before, now, generation })],
    ...initStatuses.length > 0 ? { initContainerStatuses: initStatuses } : {},
    containerStatuses: statuses,
    ...ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {},
  };
}

/** The condition of an evicted pod. Upstream: `pkg/kubelet/eviction/eviction_manager.go`. */
function disruption(
  { failure, stopping }: PodRuntime,
  { before, now, generation }: { readonly before: PodStatus; readonly now: string; readonly generation?: number },
): PodCondition[] {
  if (stopping?.cause !== "evicted" || !failure) return [];
  const old = findCondition(before.conditions, "DisruptionTarget");
  return [{
    type: "DisruptionTarget",
    ...generation ? { observedGeneration: generation } : {},
    status: "True",
    lastTransitionTime: old?.status === "True" ? old.lastTransitionTime ?? now : now,
    reason: "TerminationByKubelet",
    message: failure.message,
  }];
}

function statusesOf(
  roles: readonly ContainerRole[],
  { containers }: PodRuntime,
  step: ContainerStep,
): ContainerStatus[] {
  return containersOf(step.pod).filter(({ role }) => roles.includes(role))
    .map((which) => containerStatus(which, runOf(containers, which.container), step));
}

function byName(a: ContainerStatus, b: ContainerStatus): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
