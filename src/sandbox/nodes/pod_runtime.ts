/** How a run of a container ended; times in milliseconds since 1970. */
export interface Finished {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedMs: number;
  readonly finishedMs: number;
}

/**
 * The state of a container.
 *
 * waiting → running (image pulled, its turn, no back-off) → terminated → waiting (for a restart, in back-off) → running
 * ...
 */
export type ContainerState =
  /** Without a reason it is being created or waits for other containers. */
  | { readonly kind: "waiting"; readonly reason?: string; readonly message?: string }
  | { readonly kind: "running"; readonly startedMs: number }
  | ({ readonly kind: "terminated" } & Finished);

/** A container as its runtime knows it. */
export interface ContainerRun {
  readonly state: ContainerState;
  /** How the previous run ended. */
  readonly last?: Finished;
  readonly restartCount: number;
  /** The image that is present or being pulled. */
  readonly image?: string;
  /** Whether {@link ContainerRun.image} was pulled. */
  readonly hasImage: boolean;
  /** Since when the image is being pulled. */
  readonly pullingSinceMs?: number;
  readonly failedPulls: number;
  /** When the next pull or restart is due. */
  readonly retryMs?: number;
  /** Since when a part of its environment is missing. */
  readonly heldSinceMs?: number;
  /** The delay before this run; absent for the first. */
  readonly backoffMs?: number;
}

/** Why all of a pod's containers are being stopped. */
export interface Stopping {
  readonly cause: "deleted" | "deadline" | "evicted";
  readonly sinceMs: number;
}

/** A kubelet's knowledge of a pod beyond its object: the state of its containers. */
export interface PodRuntime {
  /** When the kubelet first saw the pod; becomes its startTime. */
  readonly startMs: number;
  /** Since when containers can start, because the sandbox and its network exist. */
  readonly sandboxMs?: number;
  /** When to check again for the sources of volumes. */
  readonly lookMs?: number;
  /** Since when it waits for its volumes, or since it last reported so. */
  readonly attachingSinceMs?: number;
  readonly containers: Readonly<Record<string, ContainerRun>>;
  readonly stopping?: Stopping;
  /** No container runs or will ever run again. */
  readonly hasEnded: boolean;
  /** Why the pod counts as failed, although no container failed. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

/** A container before its first start. */
const NEW_RUN: ContainerRun = { state: { kind: "waiting" }, restartCount: 0, hasImage: false, failedPulls: 0 };

/** The state of a container, which may be called `constructor`. */
export function runOf(containers: PodRuntime["containers"], { name }: { readonly name: string }): ContainerRun {
  return Object.hasOwn(containers, name) ? containers[name] : NEW_RUN;
}

/** A pod that was just seen. */
export function newRuntime(nowMs: number): PodRuntime {
  return { startMs: nowMs, containers: {}, hasEnded: false };
}
