import { type ContainerStatus, findCondition, type Pod, type PodCondition } from "../../api/mod.ts";

/** What a kubelet's conditions depend on. */
export interface ConditionsInput {
  readonly pod: Pod;
  readonly phase: string;
  readonly hasSandbox: boolean;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** The present conditions, whoever set them. */
  readonly before: readonly PodCondition[];
  /** The present time in objects' format. */
  readonly now: string;
}

/** The conditions that only a kubelet sets once the pod is on a node. Upstream: `pkg/kubelet/types/pod_status.go`. */
const KUBELET_CONDITIONS: readonly string[] = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
];

type Verdict = Pick<PodCondition, "reason" | "message"> & { readonly isTrue: boolean };

const YES: Verdict = { isTrue: true };

/**
 * A kubelet's conditions of a pod, in its order. A condition whose status does not change keeps its transition time.
 * Upstream: `pkg/kubelet/status/generate.go`.
 */
export function kubeletConditions(input: ConditionsInput): PodCondition[] {
  const containersReady = containersReadyOf(input);
  const verdicts: Readonly<Record<string, Verdict>> = {
    PodReadyToStartContainers: { isTrue: input.hasSandbox },
    Initialized: initializedOf(input),
    Ready: containersReady.isTrue ? gatesOf(input) : containersReady,
    ContainersReady: containersReady,
    PodScheduled: YES,
  };
  return KUBELET_CONDITIONS.map((type) => condition(type, verdicts[type], input));
}

function condition(
  type: string,
  { isTrue, reason, message }: Verdict,
  { pod, before, now }: ConditionsInput,
): PodCondition {
  const status = isTrue ? "True" : "False";
  const old = findCondition(before, type);
  const { generation } = pod.metadata ?? {};
  return {
    type,
    ...generation ? { observedGeneration: generation } : {},
    status,
    lastTransitionTime: old?.status === status ? old.lastTransitionTime ?? now : now,
    ...reason ? { reason } : {},
    ...message ? { message } : {},
  };
}

function initializedOf({ pod, phase, initStatuses, statuses }: ConditionsInput): Verdict {
  if (phase === "Succeeded") return { isTrue: true, reason: "PodCompleted" };
  const hasBegun = statuses.some(({ state, lastState }) =>
    state?.running || state?.terminated || lastState?.terminated
  );
  if (hasBegun) return YES;
  const incomplete = (pod.spec?.initContainers ?? []).filter(({ name, restartPolicy }) => {
    const status = initStatuses.find((each) => each.name === name);
    return restartPolicy === "Always" ? !status?.started : !status?.ready;
  });
  if (incomplete.length === 0) return YES;
  const message = `containers with incomplete status: [${incomplete.map(({ name }) => name).join(" ")}]`;
  return { isTrue: false, reason: "ContainersNotInitialized", message };
}

function containersReadyOf({ pod, phase, initStatuses, statuses }: ConditionsInput): Verdict {
  if (phase === "Succeeded") return { isTrue: false, reason: "PodCompleted" };
  if (phase === "Failed") return { isTrue: false, reason: "PodFailed" };
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const all = [...initStatuses, ...statuses];
  const unready = [...sidecars, ...pod.spec?.containers ?? []]
    .filter(({ name }) => !all.find((status) => status.name === name)?.ready)
    .map(({ name }) => name);
  if (unready.length === 0) return YES;
  const message = `containers with unready status: [${unready.join(" ")}]`;
  return { isTrue: false, reason: "ContainersNotReady", message };
}

/** A pod with ready containers may still wait for its readiness gates. */
function gatesOf({ pod, before }: ConditionsInput): Verdict {
  const problems = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const status = findCondition(before, conditionType)?.status;
    if (status === undefined) {
      return [`corresponding condition of pod readiness gate ${JSON.stringify(conditionType)} does not exist.`];
    }
    const gate = JSON.stringify(conditionType);
    return status === "True" ? [] : [`the status of pod readiness gate ${gate} is not "True", but ${status}`];
  });
  return problems.length === 0
    ? YES
    : { isTrue: false, reason: "ReadinessGatesNotReady", message: problems.join(", ") };
}
