import type { ContainerStatus, Pod } from "../../../api/mod.ts";
import { ageOf } from "./age.ts";

/** What the STATUS column says of a pod. Upstream: printPod in `pkg/printers/internalversion/printers.go`. */
export function podStatusText({ metadata, spec, status }: Pod): string {
  let text = status?.reason || status?.phase || "Unknown";
  if (status?.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated")) {
    text = "SchedulingGated";
  }
  const init = initText(spec?.initContainers?.length ?? 0, status?.initContainerStatuses ?? []);
  text = init ?? containersText(status?.containerStatuses ?? [], text, isReady(status));
  if (!metadata?.deletionTimestamp) return text;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? text : "Terminating";
}

function isReady(status: Pod["status"]): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

function initText(total: number, statuses: readonly ContainerStatus[]): string | undefined {
  for (const [i, { state, started, ready }] of statuses.entries()) {
    const { terminated, waiting } = state ?? {};
    if (terminated?.exitCode === 0 || (started && ready)) continue;
    if (terminated) return `Init:${terminated.reason || exitText(terminated)}`;
    if (waiting?.reason && waiting.reason !== "PodInitializing") return `Init:${waiting.reason}`;
    return `Init:${i}/${total}`;
  }
  return undefined;
}

function exitText({ signal, exitCode }: { readonly signal?: number; readonly exitCode: number }): string {
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function containersText(statuses: readonly ContainerStatus[], phase: string, podReady: boolean): string {
  let text = phase;
  let running = false;
  for (const { state, ready } of statuses.toReversed()) {
    const { waiting, terminated } = state ?? {};
    if (waiting?.reason) text = waiting.reason;
    else if (terminated) text = terminated.reason || exitText(terminated);
    else if (ready && state?.running) running = true;
  }
  if (text === "Completed" && running) return podReady ? "Running" : "NotReady";
  return text;
}

/** `1/2`: ready containers of all. */
export function podReadyText({ spec, status }: Pod): string {
  const ready = status?.containerStatuses?.filter((container) => container.ready).length ?? 0;
  return `${ready}/${spec?.containers?.length ?? 0}`;
}

/** `3 (5m ago)`: restarts of all containers. */
export function podRestartsText({ status }: Pod, nowMs: number): string {
  const statuses = status?.containerStatuses ?? [];
  const count = statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
  const last = statuses.map(({ lastState }) => lastState?.terminated?.finishedAt ?? "").sort().at(-1);
  return count > 0 && last ? `${count} (${ageOf(last, nowMs)} ago)` : String(count);
}
