/** How a run of a container ended; times in milliseconds since 1970. */
export interface Finished {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedMs: number;
  readonly finishedMs: number;
}

/**
 * What a container is doing.
 *
 * waiting → running (image there, its turn, no back-off) → terminated → waiting (to be restarted, in back-off) → running ...
 */
export type ContainerState =
  /** Without a reason: it is being created, or others come first. */
  | { readonly kind: "waiting"; readonly reason?: string; readonly message?: string }
  | { readonly kind: "running"; readonly startedMs: number }
  | ({ readonly kind: "terminated" } & Finished);

/** One container as its runtime knows it. */
export interface ContainerRun {
  readonly state: ContainerState;
  /** How the run before the present state ended. */
  readonly last?: Finished;
  readonly restartCount: number;
  /** The image that is there, or that it is waiting for. */
  readonly image?: string;
  /** Whether {@link ContainerRun.image} was pulled. */
  readonly hasImage: boolean;
  /** Since when the image is being pulled. */
  readonly pullingSinceMs?: number;
  readonly failedPulls: number;
  /** When the pull is tried again, or the container started again. */
  readonly retryMs?: number;
  /** Since when something that its environment is made from is missing. */
  readonly heldSinceMs?: number;
  /** The delay before the present run; absent for the first. */
  readonly backoffMs?: number;
}

/** Why all of a pod's containers are being stopped. */
export interface Stopping {
  readonly cause: "deleted" | "deadline" | "evicted";
  readonly sinceMs: number;
}

/** What a kubelet knows of a pod beyond its object: the state of the machine's containers. */
export interface PodRuntime {
  /** When the kubelet first saw the pod: its startTime. */
  readonly startMs: number;
  /** Since when containers can start: the sandbox and its network are there. */
  readonly sandboxMs?: number;
  /** When it is looked again for what volumes are filled with. */
  readonly lookMs?: number;
  /** Since when its volumes are waited for, or since that was last complained about. */
  readonly attachingSinceMs?: number;
  readonly containers: Readonly<Record<string, ContainerRun>>;
  readonly stopping?: Stopping;
  /** No container runs any more, and none ever will. */
  readonly hasEnded: boolean;
  /** Why the pod counts as failed although no container says so. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

/** A container of which nothing has happened yet. */
const NEW_RUN: ContainerRun = { state: { kind: "waiting" }, restartCount: 0, hasImage: false, failedPulls: 0 };

/** What is known of a container, which may be called `constructor`. */
export function runOf(containers: PodRuntime["containers"], { name }: { readonly name: string }): ContainerRun {
  return Object.hasOwn(containers, name) ? containers[name] : NEW_RUN;
}

/** A pod that was just seen. */
export function newRuntime(nowMs: number): PodRuntime {
  return { startMs: nowMs, containers: {}, hasEnded: false };
}
