import type { Container, ContainerStatus, Pod } from "../../api/mod.ts";
import { shouldRestart } from "./restarts.ts";

/** What a pod's phase depends on. */
export interface PhaseInput {
  readonly pod: Pod;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** No container will be started any more, whatever the restart policy. */
  readonly hasEnded: boolean;
}

/** How many containers are in each state. */
interface Tally {
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
  /** Stopped for good. */
  done: number;
  unknown: number;
}

/**
 * The phase of a pod with containers in these states. Upstream: `pkg/kubelet/kubelet_pods.go` (getPhase); for a pod
 * that ended before any container ran, upstream's TerminatePod reports Failed, and so does this.
 */
export function phaseOf({ pod, initStatuses, statuses, hasEnded }: PhaseInput): string {
  const mains = tally(pod, pod.spec?.containers ?? [], statuses);
  const hasBegun = statuses.some(({ state, lastState }) =>
    state?.running || state?.terminated || lastState?.terminated
  );
  const start = startOf(pod, initStatuses);
  if (start === "failed") return "Failed";
  if (!hasEnded && (start === "pending" && !hasBegun || mains.waiting > 0)) return "Pending";
  if (!hasEnded && mains.running > 0 && mains.unknown === 0) return "Running";
  if (mains.stopped > 0 && mains.unknown + mains.running === 0) {
    if (!hasEnded && mains.stopped !== mains.done) return "Running";
    return mains.stopped === mains.succeeded && mains.waiting === 0 ? "Succeeded" : "Failed";
  }
  return hasEnded ? "Failed" : "Pending";
}

function tally(pod: Pod, containers: readonly Container[], statuses: readonly ContainerStatus[]): Tally {
  const found: Tally = { running: 0, waiting: 0, stopped: 0, succeeded: 0, done: 0, unknown: 0 };
  for (const container of containers) {
    const status = statuses.find(({ name }) => name === container.name);
    if (!status?.state) found.unknown++;
    else if (status.state.running) found.running++;
    else if (status.state.terminated || status.lastState?.terminated) {
      const exitCode = (status.state.terminated ?? status.lastState!.terminated!).exitCode;
      found.stopped++;
      if (status.state.terminated && exitCode === 0) found.succeeded++;
      if (!shouldRestart(pod, container, exitCode)) found.done++;
    } else found.waiting++;
  }
  return found;
}

/** The progress of the containers that run before the others. */
function startOf(pod: Pod, statuses: readonly ContainerStatus[]): "done" | "pending" | "failed" {
  let result: "done" | "pending" = "done";
  for (const container of pod.spec?.initContainers ?? []) {
    const { state, lastState, started } = statuses.find(({ name }) => name === container.name) ?? {};
    if (container.restartPolicy === "Always") {
      if (!started && !state?.terminated && !lastState?.terminated) result = "pending";
      continue;
    }
    const exitCode = (state?.terminated ?? lastState?.terminated)?.exitCode;
    if (exitCode === 0 && state?.terminated) continue;
    if (exitCode !== undefined && exitCode !== 0 && !state?.running && !shouldRestart(pod, container, exitCode)) {
      return "failed";
    }
    result = "pending";
  }
  return result;
}
