import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  isConditionTrue,
  type Pod,
} from "../../../../api/mod.ts";
import { AGE, ageOf, type Column, NAME, NONE, text, wide } from "../columns/mod.ts";

type Terminated = NonNullable<ContainerState["terminated"]>;

/** Totals of some of a pod's containers. */
interface Tally {
  ready: number;
  restarts: number;
  /** The time of the last restart; empty if there was none. */
  lastRestart: string;
}

/** What a pod's columns show about its containers. */
interface PodSummary extends Readonly<Tally> {
  readonly total: number;
  readonly status: string;
}

/** Upstream: printPod in `pkg/printers/internalversion/printers.go`. */
function podSummary(pod: Pod): PodSummary {
  const { spec, status } = pod;
  const init = initContainers(pod);
  const isInitialised = init.reason === undefined || isConditionTrue(status?.conditions, "Initialized");
  // From here on, the pod's containers are counted after the restartable ones.
  const tally = isInitialised ? init.restartable : { ...init.all, ready: init.restartable.ready };
  const waiting = init.reason ?? baseReason(pod);
  const reason = isInitialised ? containersReason(pod, waiting, tally) : waiting;
  return {
    ...tally,
    total: (spec?.containers?.length ?? 0) + (spec?.initContainers?.filter(isRestartable).length ?? 0),
    status: deletionReason(pod) ?? reason,
  };
}

function baseReason({ status }: Pod): string {
  const gated = status?.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated");
  return gated ? "SchedulingGated" : status?.reason || status?.phase || "";
}

function deletionReason({ metadata, status }: Pod): string | undefined {
  if (!metadata?.deletionTimestamp) return undefined;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? undefined : "Terminating";
}

function isRestartable(container: Container | undefined): boolean {
  return container?.restartPolicy === "Always";
}

function count(tally: Tally, { restartCount, lastState }: ContainerStatus): void {
  tally.restarts += restartCount ?? 0;
  const finishedAt = lastState?.terminated?.finishedAt ?? "";
  if (finishedAt > tally.lastRestart) tally.lastRestart = finishedAt;
}

/** Init containers in order, up to the first that is not done; `reason` is why that one waits. */
function initContainers({ spec, status }: Pod): { all: Tally; restartable: Tally; reason?: string } {
  const all: Tally = { ready: 0, restarts: 0, lastRestart: "" };
  const restartable: Tally = { ready: 0, restarts: 0, lastRestart: "" };
  const byName = new Map(spec?.initContainers?.map((container) => [container.name, container]));
  for (const [i, container] of (status?.initContainerStatuses ?? []).entries()) {
    count(all, container);
    const restarts = isRestartable(byName.get(container.name));
    if (restarts) count(restartable, container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (restarts && container.started) {
      if (container.ready) restartable.ready++;
      continue;
    }
    const why = terminated
      ? terminatedReason(terminated)
      : waiting?.reason && waiting.reason !== "PodInitializing"
      ? waiting.reason
      : `${i}/${byName.size}`;
    return { all, restartable, reason: `Init:${why}` };
  }
  return { all, restartable };
}

function terminatedReason({ reason, signal, exitCode }: Terminated): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

/** The reason of the first container that has one; scans from last to first. */
function containersReason({ status }: Pod, fallback: string, tally: Tally): string {
  let reason = fallback;
  let errorReason = "";
  let hasRunning = false;
  for (const container of (status?.containerStatuses ?? []).toReversed()) {
    count(tally, container);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) {
      reason = terminatedReason(terminated);
      if (terminated.exitCode !== 0) errorReason = reason;
    } else if (container.ready && running) {
      hasRunning = true;
      tally.ready++;
    }
  }
  if (reason !== "Completed") return reason;
  if (hasRunning && isConditionTrue(status?.conditions, "Ready")) return "Running";
  return errorReason || (hasRunning ? "NotReady" : reason);
}

function restartsText(pod: Pod, nowMs: number): string {
  const { restarts, lastRestart } = podSummary(pod);
  return restarts > 0 && lastRestart ? `${restarts} (${ageOf(lastRestart, nowMs)} ago)` : String(restarts);
}

function readinessText({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const met = gates.filter(({ conditionType }) => isConditionTrue(status?.conditions, conditionType));
  return `${met.length}/${gates.length}`;
}

function readyText(pod: Pod): string {
  const { ready, total } = podSummary(pod);
  return `${ready}/${total}`;
}

export const pods: readonly Column<Pod>[] = [
  NAME,
  text("Ready", readyText),
  text("Status", (pod) => podSummary(pod).status),
  text("Restarts", restartsText),
  AGE,
  wide("IP", "status.podIPs.0.ip", NONE),
  wide("Node", "spec.nodeName", NONE),
  wide("Nominated Node", "status.nominatedNodeName", NONE),
  wide("Readiness Gates", readinessText),
];
