import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from "../../api/mod.ts";

/** Where a pod runs and since when. */
export interface PodPlace {
  readonly hostIP: string;
  readonly podIP: string;
  /** The present time, as objects hold it. */
  readonly now: string;
}

/** Whether an image can never be pulled: `bad` in its name, or the tag `404` or `never-pull`. */
export function isUnpullable(image = ""): boolean {
  const [name, tag = ""] = image.split("@")[0].split(/:(?=[^/]*$)/);
  return name.includes("bad") || tag === "404" || tag === "never-pull";
}

/** What a kubelet makes of a pod. */
export type PodOutcome = "running" | "waiting" | "succeeded";

/** Whether a pod can run. */
export function outcomeOf({ spec }: Pod): Exclude<PodOutcome, "succeeded"> {
  return [...spec?.initContainers ?? [], ...spec?.containers ?? []].some(({ image }) => isUnpullable(image))
    ? "waiting"
    : "running";
}

/** The status that a kubelet writes for a pod with this outcome. */
export function podStatus(pod: Pod, outcome: PodOutcome, { hostIP, podIP, now }: PodPlace): PodStatus {
  const containers = pod.spec?.containers ?? [];
  const isReady = outcome === "running";
  const unready = containers.map(({ name }) => name).join(" ");
  const condition = (type: string, isTrue: boolean, rest: Partial<PodCondition> = {}): PodCondition => ({
    type,
    status: isTrue ? "True" : "False",
    lastTransitionTime: now,
    ...pod.metadata?.generation ? { observedGeneration: pod.metadata.generation } : {},
    ...isTrue ? {} : rest,
  });
  const notReady = outcome === "succeeded"
    ? { reason: "PodCompleted" }
    : { reason: "ContainersNotReady", message: `containers with unready status: [${unready}]` };
  return {
    phase: outcome === "running" ? "Running" : outcome === "waiting" ? "Pending" : "Succeeded",
    ...pod.metadata?.generation ? { observedGeneration: pod.metadata.generation } : {},
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? now,
    conditions: [
      condition("PodReadyToStartContainers", outcome !== "succeeded"),
      condition("Initialized", true),
      condition("Ready", isReady, notReady),
      condition("ContainersReady", isReady, notReady),
    ],
    containerStatuses: containers.map((container) => containerStatus(container, outcome, now)),
  };
}

function containerStatus({ name, image = "" }: Container, outcome: PodOutcome, now: string): ContainerStatus {
  const base = { name, image, imageID: "", restartCount: 0 };
  switch (outcome) {
    case "running":
      return {
        ...base,
        imageID: image,
        containerID: `simulated://${name}`,
        ready: true,
        started: true,
        state: { running: { startedAt: now } },
      };
    case "succeeded": {
      const terminated = { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now };
      return { ...base, imageID: image, ready: false, started: false, state: { terminated } };
    }
    case "waiting": {
      if (!isUnpullable(image)) {
        return { ...base, ready: false, started: false, state: { waiting: { reason: "ContainerCreating" } } };
      }
      const message = `Back-off pulling image "${image}"`;
      return { ...base, ready: false, started: false, state: { waiting: { reason: "ImagePullBackOff", message } } };
    }
  }
}
