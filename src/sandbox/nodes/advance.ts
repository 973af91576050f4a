import type { Pod } from "../../api/mod.ts";
import { type ContainerStep, finished, type PodNews, pursue, settle } from "./container_step.ts";
import { containersOf, type PodPlan, type RoledContainer } from "./plan.ts";
import { NO_PROBLEMS, type SourceProblems } from "./pod_sources.ts";
import { type ContainerRun, type PodRuntime, runOf, type Stopping } from "./pod_runtime.ts";
import { nextLookMs, shouldRestart } from "./restarts.ts";

/** What a step of a pod depends on, besides the state of its containers. */
export interface Observed {
  readonly pod: Pod;
  readonly plan: PodPlan;
  readonly unboundClaims: readonly string[];
  /** The names of the pod's volumes that are not attached to its node yet; none by default. */
  readonly unattached?: readonly string[];
  /** How many failed pods of the same controller count as earlier runs of this one's containers. */
  readonly earlierFailures: number;
  /** What is missing of the ConfigMaps and Secrets that the pod refers to; nothing by default. */
  readonly sources?: SourceProblems;
}

/** The result of a step. */
export interface Advance {
  readonly runtime: PodRuntime;
  readonly news: readonly PodNews[];
  /** When the next step is due, unless the pod changes first. */
  readonly nextMs?: number;
}

const DEADLINE = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};
const KILLED = 137;
/** How long a kubelet waits for volumes before it reports them and tries again. Upstream: podAttachAndMountTimeout. */
const ATTACH_MS = 123_000;

/**
 * Moves a pod's containers forward to `nowMs` by the pod's spec and plan: the decisions of a kubelet and the life of
 * its containers in one pure function of the previous state and what is observed.
 *
 * Contract:
 * 1. Nothing starts before the sandbox exists: `startAfterMs` after the pod was seen, with all its claims bound, all
 *    its volumes attached, and all their sources present.
 * 2. Init containers run one after the other, each after the previous one succeeded; sidecars keep running; then all
 *    others.
 * 3. A container that ends is restarted as its restart policy and rules say: first at once, then after 10 s, doubling
 *    up to 5 min, in CrashLoopBackOff meanwhile. After a run of ten minutes this starts over.
 * 4. The pod has ended when none of its main containers runs or will run again, or an init container failed for good;
 *    everything that still runs is stopped then.
 * 5. A pod being deleted, past its deadline or evicted is stopped within its grace period; nothing starts in it any
 *    more.
 * 6. A container waits for missing ConfigMaps, Secrets and keys of its environment, unless they are optional.
 * 7. Pulling an image that cannot be pulled is retried with the same delays, until the image is replaced.
 *
 * Upstream: `pkg/kubelet/kuberuntime/kuberuntime_manager.go` (computePodActions, SyncPod),
 * `pkg/kubelet/active_deadline.go`.
 */
export function advance(observed: Observed, before: PodRuntime, nowMs: number): Advance {
  return new Step(observed, before, nowMs).run();
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class Step implements ContainerStep {
  readonly pod: Pod;
  readonly plan: PodPlan;
  readonly nowMs: number;
  readonly earlierFailures: number;
  readonly sources: SourceProblems;
  readonly #unboundClaims: readonly string[];
  readonly #unattached: readonly string[];
  readonly #all: readonly RoledContainer[];
  readonly #runs: Record<string, ContainerRun>;
  readonly #runtime: Mutable<PodRuntime>;
  readonly #news: PodNews[] = [];
  #nextMs = Infinity;

  constructor(
    { pod, plan, unboundClaims, unattached = [], earlierFailures, sources = NO_PROBLEMS }: Observed,
    before: PodRuntime,
    nowMs: number,
  ) {
    this.pod = pod;
    this.plan = plan;
    this.nowMs = nowMs;
    this.earlierFailures = earlierFailures;
    this.sources = sources;
    this.#unboundClaims = unboundClaims;
    this.#unattached = unattached;
    this.#all = containersOf(pod);
    this.#runs = { ...before.containers };
    this.#runtime = { ...before, containers: this.#runs };
  }

  tell = (news: PodNews): void => void this.#news.push(news);
  wake = (atMs: number): void => void (this.#nextMs = Math.min(this.#nextMs, atMs));

  run(): Advance {
    const { hasEnded } = this.#runtime;
    if (!hasEnded) {
      const stopping = this.#runtime.stopping ?? this.#reasonToStop();
      if (stopping) this.#stop(stopping);
      else if (this.#hasSandbox()) this.#runContainers();
    }
    const nextMs = this.#runtime.hasEnded || this.#nextMs === Infinity ? undefined : this.#nextMs;
    return { runtime: this.#runtime, news: this.#news, nextMs };
  }

  #reasonToStop(): Stopping | undefined {
    const { metadata, spec } = this.pod;
    if (metadata?.deletionTimestamp) return { cause: "deleted", sinceMs: this.nowMs };
    const { eviction } = this.plan;
    const causes = [
      ["deadline", spec?.activeDeadlineSeconds === undefined ? undefined : spec.activeDeadlineSeconds * 1000],
      ["evicted", eviction?.afterMs],
    ] as const;
    for (const [cause, afterMs] of causes) {
      if (afterMs === undefined) continue;
      const atMs = this.#runtime.startMs + afterMs;
      if (atMs <= this.nowMs) return { cause, sinceMs: this.nowMs };
      this.wake(atMs);
    }
    return undefined;
  }

  /** The grace period for stopping containers. */
  #graceMs({ cause }: Stopping): number {
    const { metadata, spec } = this.pod;
    if (metadata?.deletionTimestamp) return (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    return cause === "evicted" ? 0 : (spec?.terminationGracePeriodSeconds ?? 30) * 1000;
  }

  #stop(stopping: Stopping): void {
    const running = this.#all.filter((which) => this.#settled(which).state.kind === "running");
    if (!this.#runtime.stopping) this.#announce(stopping, running);
    this.#runtime.stopping = stopping;
    const { stopAfterMs } = this.plan;
    const graceMs = this.#graceMs(stopping);
    const atMs = stopping.sinceMs + Math.min(stopAfterMs, graceMs);
    if (running.length > 0 && atMs > this.nowMs) return this.wake(atMs);
    if (stopping.cause === "deadline") this.#runtime.failure = DEADLINE;
    if (stopping.cause === "evicted") this.#runtime.failure = { reason: "Evicted", message: this.#evictionMessage() };
    this.#end((which) => stopAfterMs > graceMs ? KILLED : this.plan.stopCode(which));
  }

  #announce({ cause }: Stopping, running: readonly RoledContainer[]): void {
    if (cause === "deadline") this.tell({ type: "Normal", ...DEADLINE });
    if (cause === "evicted") this.tell({ type: "Warning", reason: "Evicted", message: this.#evictionMessage() });
    for (const which of running) {
      const message = `Stopping container ${which.container.name}`;
      this.tell({ type: "Normal", reason: "Killing", message, which });
    }
  }

  #evictionMessage(): string {
    return `The node was low on resource: ${this.plan.eviction?.resource}. `;
  }

  #hasSandbox(): boolean {
    if (this.#runtime.sandboxMs !== undefined) return true;
    const atMs = this.#runtime.startMs + this.plan.startAfterMs;
    const { lookMs = atMs } = this.#runtime;
    if (lookMs > this.nowMs) {
      this.wake(lookMs);
      return false;
    }
    if (this.#unboundClaims.length > 0) {
      const names = this.#unboundClaims.join(" ");
      const message = `Unable to attach or mount volumes: PVC is not bound: [${names}]`;
      this.tell({ type: "Warning", reason: "FailedMount", message });
      return false;
    }
    if (this.#waitsForVolumes()) return false;
    const { volumes, pullSecrets } = this.sources;
    if (volumes.size > 0) {
      for (const [volume, why] of volumes) {
        const message = `MountVolume.SetUp failed for volume "${volume}" : ${why}`;
        this.tell({ type: "Warning", reason: "FailedMount", message });
      }
      this.#runtime.lookMs = nextLookMs(atMs, this.nowMs);
      this.wake(this.#runtime.lookMs);
      return false;
    }
    if (pullSecrets.length > 0) {
      const message = `Unable to retrieve some image pull secrets (${pullSecrets.join(", ")}); ` +
        "attempting to pull the image may not succeed.";
      this.tell({ type: "Warning", reason: "FailedToRetrieveImagePullSecret", message });
    }
    this.#runtime.sandboxMs = this.nowMs;
    return true;
  }

  /** A kubelet notices when a volume is attached, and complains now and then until it is. */
  #waitsForVolumes(): boolean {
    const { attachingSinceMs: sinceMs = this.nowMs } = this.#runtime;
    this.#runtime.attachingSinceMs = undefined;
    if (this.#unattached.length === 0) return false;
    const isOverdue = this.nowMs - sinceMs >= ATTACH_MS;
    if (isOverdue) {
      const names = this.#unattached.join(" ");
      const message =
        `Unable to attach or mount volumes: unmounted volumes=[${names}], unattached volumes=[${names}], ` +
        "failed to process volumes=[]: timed out waiting for the condition";
      this.tell({ type: "Warning", reason: "FailedMount", message });
    }
    this.#runtime.attachingSinceMs = isOverdue ? this.nowMs : sinceMs;
    this.wake(this.#runtime.attachingSinceMs + ATTACH_MS);
    return true;
  }

  #runContainers(): void {
    const mains = this.#all.filter(({ role }) => role === "main");
    const hasBegun = mains.some((which) => hasRun(this.#of(which)));
    for (const which of this.#all) {
      if (which.role !== "init" && which.role !== "sidecar") continue;
      if (which.role === "init" && hasBegun) continue;
      const run = this.#kept(which);
      if (which.role === "sidecar" ? hasRun(run) : hasSucceeded(run)) continue;
      if (which.role === "init" && this.#isOver(which)) return this.#end((other) => this.plan.stopCode(other));
      if (!hasBegun) return;
    }
    for (const which of this.#all) if (which.role === "main" || which.role === "ephemeral") this.#kept(which);
    if (mains.every((which) => this.#isOver(which))) this.#end((which) => this.plan.stopCode(which));
  }

  #of({ container }: RoledContainer): ContainerRun {
    return runOf(this.#runs, container);
  }

  #settled(which: RoledContainer): ContainerRun {
    return this.#runs[which.container.name] = settle(which, this.#of(which), this);
  }

  /** Keeps a container running. */
  #kept(which: RoledContainer): ContainerRun {
    const run = this.#settled(which);
    if (run.state.kind === "terminated" && this.#isOver(which)) return run;
    this.#runs[which.container.name] = pursue(which, run, this);
    return this.#settled(which);
  }

  /** Whether a container has ended for good. */
  #isOver({ role, container }: RoledContainer): boolean {
    const { state } = runOf(this.#runs, container);
    if (state.kind !== "terminated") return false;
    if (role === "ephemeral") return true;
    if (role === "init" && state.exitCode === 0) return true;
    return !shouldRestart(this.pod, container, state.exitCode);
  }

  /** Ends the pod: running containers stop now, those waiting for a restart stay ended. */
  #end(codeOf: (which: RoledContainer) => number): void {
    const wasInitialized = this.#all.every((which) => {
      if (which.role === "init") return hasSucceeded(this.#of(which));
      return which.role !== "sidecar" || hasRun(this.#of(which));
    });
    for (const which of this.#all) {
      const run = this.#of(which);
      this.#runs[which.container.name] = { ...run, ...this.#ended(which, run, { codeOf, wasInitialized }) };
    }
    this.#runtime.hasEnded = true;
  }

  #ended(
    which: RoledContainer,
    { state, last }: ContainerRun,
    { codeOf, wasInitialized }: { codeOf: (which: RoledContainer) => number; wasInitialized: boolean },
  ): Partial<ContainerRun> {
    if (state.kind === "terminated") return {};
    if (state.kind === "running") {
      return { state: { kind: "terminated", ...finished(state.startedMs, this.nowMs, { code: codeOf(which) }) } };
    }
    if (last) return { state: { kind: "terminated", ...last }, last: undefined };
    if (!wasInitialized || which.role !== "main") return {};
    // Upstream: TerminatePod, which only knows that there is no such container.
    const message = "The container could not be located when the pod was terminated";
    const lost = { ...finished(this.nowMs, this.nowMs, { code: KILLED, reason: "ContainerStatusUnknown" }), message };
    return { state: { kind: "terminated", ...lost } };
  }
}

function hasRun({ state, last, restartCount }: ContainerRun): boolean {
  return state.kind !== "waiting" || last !== undefined || restartCount > 0;
}

function hasSucceeded({ state }: ContainerRun): boolean {
  return state.kind === "terminated" && state.exitCode === 0;
}
