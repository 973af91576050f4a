import { formatDuration, type Pod } from "../../api/mod.ts";
import { isImageName } from "./images.ts";
import type { PodPlan, RoledContainer } from "./plan.ts";
import type { ContainerRun, Finished } from "./pod_runtime.ts";
import type { SourceProblems } from "./pod_sources.ts";
import { nextBackoffMs, nextLookMs, pullBackoffMs } from "./restarts.ts";

/** A kubelet's event about a pod. */
export interface PodNews {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The container concerned; absent for the whole pod. */
  readonly which?: RoledContainer;
}

/** The input of a container's step, and its outlets. */
export interface ContainerStep {
  readonly pod: Pod;
  readonly plan: PodPlan;
  readonly nowMs: number;
  /** How many failed pods of the same controller count as earlier runs. */
  readonly earlierFailures: number;
  readonly sources: SourceProblems;
  tell(news: PodNews): void;
  /** Requests another step at a time, unless that is infinite. */
  wake(atMs: number): void;
}

/** How long a kubelet takes to notice that a container ended or a pull failed. Upstream: genericPlegRelistPeriod. */
const NOTICE_MS = 1000;

/** The index of this run in the lists of the pod's annotations. */
function runNumber({ restartCount }: ContainerRun, { earlierFailures }: ContainerStep): number {
  return restartCount + earlierFailures;
}

/** When a running container becomes ready. */
export function readyAtMs(which: RoledContainer, run: ContainerRun, step: ContainerStep): number {
  return run.state.kind === "running"
    ? run.state.startedMs + step.plan.readyAfterMs(which, runNumber(run, step))
    : Infinity;
}

/** Ends a running container when its time is up or its image was replaced. */
export function settle(which: RoledContainer, run: ContainerRun, step: ContainerStep): ContainerRun {
  const { state } = run;
  if (state.kind !== "running") return run;
  const { plan, nowMs } = step;
  if (run.image !== which.container.image && which.role !== "ephemeral") {
    const message = `Container ${which.container.name} definition changed, will be restarted`;
    step.tell({ type: "Normal", reason: "Killing", message, which });
    const last = finished(state.startedMs, nowMs, { code: plan.stopCode(which) });
    return { ...run, state: { kind: "waiting" }, last, hasImage: false };
  }
  const number = runNumber(run, step);
  const endMs = state.startedMs + plan.runMs(which, number);
  if (endMs <= nowMs) {
    return { ...run, state: { kind: "terminated", ...finished(state.startedMs, endMs, plan.exit(which, number)) } };
  }
  step.wake(endMs);
  const readyMs = readyAtMs(which, run, step);
  if (readyMs > nowMs) step.wake(readyMs);
  return run;
}

/** How a run ended, with the reason for its exit code. */
export function finished(
  startedMs: number,
  finishedMs: number,
  { code, reason = code === 0 ? "Completed" : "Error" }: { readonly code: number; readonly reason?: string },
): Finished {
  return { exitCode: code, reason, startedMs, finishedMs };
}

/** Moves a container towards running: through its back-off, its pull and its start. */
export function pursue(which: RoledContainer, run: ContainerRun, step: ContainerStep): ContainerRun {
  if (run.state.kind === "running") return run;
  const waiting = run.state.kind === "terminated" ? afterEnd(which, run, step) : run;
  if (waiting.state.kind !== "waiting") return waiting;
  if (waiting.state.reason === "CrashLoopBackOff" || waiting.state.reason === "CreateContainerConfigError") {
    const retryMs = waiting.retryMs ?? step.nowMs;
    if (retryMs > step.nowMs && waiting.image === which.container.image) {
      step.wake(retryMs);
      return waiting;
    }
  }
  const pulled = pull(which, waiting, step);
  if (!pulled.hasImage) return pulled;
  const why = step.sources.environments.get(which.container.name);
  return why === undefined ? started(which, pulled, step) : unconfigured(which, pulled, { step, why });
}

/** A container whose environment is incomplete: it is tried again with growing delays. */
function unconfigured(
  which: RoledContainer,
  run: ContainerRun,
  { step, why }: { readonly step: ContainerStep; readonly why: string },
): ContainerRun {
  const { nowMs } = step;
  const { heldSinceMs = nowMs } = run;
  step.tell({ type: "Warning", reason: "Failed", message: `Error: ${why}`, which });
  const retryMs = nextLookMs(heldSinceMs, nowMs);
  step.wake(retryMs);
  return {
    ...run,
    state: { kind: "waiting", reason: "CreateContainerConfigError", message: why },
    heldSinceMs,
    retryMs,
  };
}

/** A container to be restarted: first shown as ended, then backing off, then waiting for its start. */
function afterEnd(which: RoledContainer, run: ContainerRun, step: ContainerStep): ContainerRun {
  if (run.state.kind !== "terminated") return run;
  const { kind: _, ...last } = run.state;
  const noticedMs = last.finishedMs + NOTICE_MS;
  if (noticedMs > step.nowMs) {
    step.wake(noticedMs);
    return run;
  }
  const backoffMs = nextBackoffMs(run.backoffMs, last.finishedMs - last.startedMs);
  const retryMs = last.finishedMs + backoffMs;
  if (retryMs <= step.nowMs) return { ...run, state: { kind: "waiting" }, last, backoffMs, retryMs: undefined };
  const { name } = which.container;
  const where = `${step.pod.metadata?.name}_${step.pod.metadata?.namespace}(${step.pod.metadata?.uid})`;
  const reason = "CrashLoopBackOff";
  const message = `back-off ${formatDuration(backoffMs)} restarting failed container=${name} pod=${where}`;
  const told = `Back-off restarting failed container ${name} in pod ${where}`;
  step.tell({ type: "Warning", reason: "BackOff", message: told, which });
  step.wake(retryMs);
  return { ...run, state: { kind: "waiting", reason, message }, last, backoffMs, retryMs };
}

function pull(which: RoledContainer, before: ContainerRun, step: ContainerStep): ContainerRun {
  const { image = "" } = which.container;
  const run = before.image === image
    ? before
    : { ...before, image, hasImage: false, failedPulls: 0, retryMs: undefined };
  if (run.hasImage) return run;
  if (!isImageName(image)) return unnameable(which, run, step);
  const pullMs = step.plan.pullMs(which);
  if (pullMs === Infinity) return failPull(which, run, step);
  const sinceMs = run.pullingSinceMs ?? step.nowMs;
  const doneMs = sinceMs + pullMs;
  if (run.pullingSinceMs === undefined && pullMs > 0) {
    step.tell({ type: "Normal", reason: "Pulling", message: `Pulling image "${image}"`, which });
  }
  if (doneMs > step.nowMs) {
    step.wake(doneMs);
    return { ...run, state: { kind: "waiting" }, pullingSinceMs: sinceMs };
  }
  const took = formatDuration(pullMs);
  const message = pullMs > 0
    ? `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: 0 bytes.`
    : `Container image "${image}" already present on machine and can be accessed by the pod`;
  step.tell({ type: "Normal", reason: "Pulled", message, which });
  return { ...run, hasImage: true, failedPulls: 0, pullingSinceMs: undefined };
}

function unnameable(which: RoledContainer, run: ContainerRun, { tell }: ContainerStep): ContainerRun {
  if (run.state.kind === "waiting" && run.state.reason === "InvalidImageName") return run;
  const { image = "" } = which.container;
  const message =
    `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
  tell({ type: "Warning", reason: "InspectFailed", message, which });
  tell({ type: "Warning", reason: "Failed", message: "Error: InvalidImageName", which });
  return { ...run, state: { kind: "waiting", reason: "InvalidImageName", message } };
}

/** An image that cannot be pulled: ErrImagePull after a failed attempt, ImagePullBackOff until the next one. */
function failPull(which: RoledContainer, run: ContainerRun, step: ContainerStep): ContainerRun {
  const { image = "" } = which.container;
  const error = `rpc error: code = NotFound desc = failed to pull image "${image}": ${image}: not found`;
  const { nowMs } = step;
  if (run.retryMs !== undefined && run.retryMs > nowMs) {
    const noticedMs = run.retryMs - pullBackoffMs(run.failedPulls) + NOTICE_MS;
    step.wake(noticedMs > nowMs ? noticedMs : run.retryMs);
    if (noticedMs > nowMs || run.state.kind === "waiting" && run.state.reason === "ImagePullBackOff") return run;
    const message = `Back-off pulling image "${image}"`;
    step.tell({ type: "Normal", reason: "BackOff", message, which });
    step.tell({ type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff", which });
    const state = {
      kind: "waiting",
      reason: "ImagePullBackOff",
      message: `${message}: ErrImagePull: ${error}`,
    } as const;
    return { ...run, state };
  }
  step.tell({ type: "Normal", reason: "Pulling", message: `Pulling image "${image}"`, which });
  step.tell({ type: "Warning", reason: "Failed", message: `Failed to pull image "${image}": ${error}`, which });
  step.tell({ type: "Warning", reason: "Failed", message: "Error: ErrImagePull", which });
  const failedPulls = run.failedPulls + 1;
  step.wake(nowMs + NOTICE_MS);
  return {
    ...run,
    state: { kind: "waiting", reason: "ErrImagePull", message: error },
    failedPulls,
    retryMs: nowMs + pullBackoffMs(failedPulls),
  };
}

function started(which: RoledContainer, run: ContainerRun, step: ContainerStep): ContainerRun {
  step.tell({ type: "Normal", reason: "Created", message: "Container created", which });
  step.tell({ type: "Normal", reason: "Started", message: "Container started", which });
  const begun: ContainerRun = {
    ...run,
    state: { kind: "running", startedMs: step.nowMs },
    restartCount: run.last ? run.restartCount + 1 : run.restartCount,
    retryMs: undefined,
    heldSinceMs: undefined,
  };
  const message = "Readiness probe failed: simulated";
  if (readyAtMs(which, begun, step) > step.nowMs) step.tell({ type: "Warning", reason: "Unhealthy", message, which });
  return begun;
}
