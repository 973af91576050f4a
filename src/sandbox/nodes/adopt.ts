import { type ContainerStatus, isConditionTrue, parseTime, type Pod } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import { type ContainerRun, type ContainerState, type Finished, newRuntime, type PodRuntime } from "./pod_runtime.ts";
import { nextBackoffMs } from "./restarts.ts";

/**
 * Derives what a pod's containers are doing from its status, so that a restarted simulator can continue with the pods
 * of the previous one. A kubelet would find its containers; here the status is all there is, so times are in whole
 * seconds.
 */
export function adoptRuntime(pod: Pod, nowMs: number): PodRuntime {
  const { status } = pod;
  if (!status?.startTime) return { ...newRuntime(nowMs), hasEnded: isPodTerminal(pod) };
  const all = [
    ...status.initContainerStatuses ?? [],
    ...status.containerStatuses ?? [],
    ...status.ephemeralContainerStatuses ?? [],
  ];
  const startMs = timeOf(status.startTime, nowMs);
  const hasSandbox = isConditionTrue(status.conditions, "PodReadyToStartContainers") ||
    all.some(({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated);
  const isFailure = isPodTerminal(pod) && status.reason !== undefined;
  return {
    startMs,
    sandboxMs: hasSandbox ? startMs : undefined,
    containers: Object.fromEntries(all.map((each) => [each.name, adoptRun(each, nowMs)])),
    hasEnded: isPodTerminal(pod),
    failure: isFailure ? { reason: status.reason!, message: status.message ?? "" } : undefined,
  };
}

function adoptRun({ state, lastState, restartCount, image }: ContainerStatus, nowMs: number): ContainerRun {
  const last = endedOf(lastState?.terminated, nowMs);
  const { waiting } = state ?? {};
  const hasRun = Boolean(state?.running || state?.terminated || last);
  const backoffMs = hasRun ? backoffAfter(restartCount + (waiting ? 1 : 0)) : undefined;
  const isBackingOff = waiting?.reason === "CrashLoopBackOff" && last !== undefined;
  return {
    state: stateOf(state, nowMs),
    last,
    restartCount,
    image,
    hasImage: hasRun,
    failedPulls: 0,
    backoffMs,
    retryMs: isBackingOff ? last.finishedMs + (backoffMs ?? 0) : undefined,
  };
}

function stateOf(state: ContainerStatus["state"], nowMs: number): ContainerState {
  if (state?.running) return { kind: "running", startedMs: timeOf(state.running.startedAt, nowMs) };
  const ended = endedOf(state?.terminated, nowMs);
  if (ended) return { kind: "terminated", ...ended };
  const { reason, message } = state?.waiting ?? {};
  return reason === "CrashLoopBackOff" ? { kind: "waiting", reason, message } : { kind: "waiting" };
}

function endedOf(
  terminated: NonNullable<ContainerStatus["state"]>["terminated"],
  nowMs: number,
): Finished | undefined {
  if (!terminated) return undefined;
  const { exitCode, reason = "", message, startedAt, finishedAt } = terminated;
  return { exitCode, reason, message, startedMs: timeOf(startedAt, nowMs), finishedMs: timeOf(finishedAt, nowMs) };
}

/** The delay before the run after this many restarts, if no run was long. */
function backoffAfter(restarts: number): number | undefined {
  let backoffMs: number | undefined;
  for (let i = 0; i < Math.min(restarts, 10); i++) backoffMs = nextBackoffMs(backoffMs, 0);
  return backoffMs;
}

function timeOf(text: string | undefined, nowMs: number): number {
  try {
    return text ? parseTime(text) : nowMs;
  } catch {
    return nowMs;
  }
}
