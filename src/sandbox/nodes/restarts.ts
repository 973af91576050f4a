import type { Container, Pod } from "../../api/mod.ts";
import { policyOf } from "./plan.ts";

const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;
/** A container that ran this long has recovered; its next restart is not delayed. */
const RECOVERED_MS = 2 * LONGEST_BACKOFF_MS;

/**
 * Whether a container that ended is restarted. Upstream: `pkg/api/v1/pod/util.go` (ContainerShouldRestart); of a
 * container's own rules, only the action `Restart` is supported.
 */
export function shouldRestart(pod: Pod, container: Container, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    if (action !== "Restart" || !exitCodes) continue;
    const isListed = exitCodes.values?.includes(exitCode) ?? false;
    if (exitCodes.operator === "In" ? isListed : !isListed) return true;
  }
  const policy = policyOf(pod, container);
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/**
 * The delay before a kubelet restarts a container or pulls its image again: none the first time, then ten seconds,
 * doubling up to five minutes. Upstream: `pkg/kubelet/kubelet.go` (crashLoopBackOff, MaxCrashLoopBackOff).
 *
 * @param beforeMs The delay before the previous run.
 * @param ranMs The duration of that run.
 */
export function nextBackoffMs(beforeMs: number | undefined, ranMs: number): number {
  if (beforeMs === undefined || ranMs > RECOVERED_MS) return 0;
  return beforeMs === 0 ? FIRST_BACKOFF_MS : Math.min(2 * beforeMs, LONGEST_BACKOFF_MS);
}

/** The delay after this many failed pulls. */
export function pullBackoffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.max(0, failures - 1), LONGEST_BACKOFF_MS);
}

const FIRST_LOOK_MS = 500;
const LONGEST_LOOK_MS = 10_000;

/** When a kubelet looks again for something missing since `sinceMs`; the delay grows from 0.5 to 10 s. */
export function nextLookMs(sinceMs: number, nowMs: number): number {
  return nowMs + Math.min(Math.max(nowMs - sinceMs, FIRST_LOOK_MS), LONGEST_LOOK_MS);
}
