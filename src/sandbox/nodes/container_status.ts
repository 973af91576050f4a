import { type ContainerState, type ContainerStatus, formatTime } from "../../api/mod.ts";
import { type ContainerStep, readyAtMs } from "./container_step.ts";
import type { RoledContainer } from "./plan.ts";
import type { ContainerRun, Finished } from "./pod_runtime.ts";

/** A container in a pod's status. Upstream: `pkg/kubelet/kubelet_pods.go` (convertToAPIContainerStatuses). */
export function containerStatus(which: RoledContainer, run: ContainerRun, step: ContainerStep): ContainerStatus {
  const { role, container } = which;
  const { name, image = "", resources } = container;
  const { state, last, restartCount } = run;
  const hasRun = state.kind !== "waiting" || last !== undefined;
  const id = (count: number) => `simulated://${step.pod.metadata?.uid}-${name}-${count}`;
  return {
    name,
    image: run.image ?? image,
    imageID: hasRun ? run.image ?? image : "",
    ...hasRun ? { containerID: id(restartCount) } : {},
    ready: isReady(which, run, step),
    ...role === "ephemeral" ? {} : { started: state.kind === "running" },
    restartCount,
    state: stateOf(run, { id: id(restartCount), hasInit: (step.pod.spec?.initContainers ?? []).length > 0 }),
    lastState: last ? { terminated: ended(last, id(state.kind === "waiting" ? restartCount : restartCount - 1)) } : {},
    ...hasRun && resources?.requests ? { allocatedResources: resources.requests } : {},
    ...hasRun && resources ? { resources } : {},
  };
}

function isReady(which: RoledContainer, run: ContainerRun, step: ContainerStep): boolean {
  switch (which.role) {
    case "init":
      return run.state.kind === "terminated" && run.state.exitCode === 0;
    case "ephemeral":
      return false;
    case "main":
    case "sidecar":
      return readyAtMs(which, run, step) <= step.nowMs;
  }
}

function stateOf({ state }: ContainerRun, { id, hasInit }: { id: string; hasInit: boolean }): ContainerState {
  switch (state.kind) {
    case "running":
      return { running: { startedAt: formatTime(state.startedMs) } };
    case "terminated":
      return { terminated: ended(state, id) };
    case "waiting": {
      const { reason = hasInit ? "PodInitializing" : "ContainerCreating", message } = state;
      return { waiting: message ? { reason, message } : { reason } };
    }
  }
}

function ended({ exitCode, reason, message, startedMs, finishedMs }: Finished, containerID: string) {
  return {
    exitCode,
    reason,
    ...message ? { message } : {},
    startedAt: formatTime(startedMs),
    finishedAt: formatTime(finishedMs),
    containerID,
  };
}
