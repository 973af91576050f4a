import type {
  ContainerStatus,
  Job,
  Pod,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../../api/mod.ts";

/** The pod failure policy's verdict on a failed pod. */
export interface FailureVerdict {
  /** Whether the failure counts towards the limits. */
  readonly counts: boolean;
  /** The action of the rule that matched, if one did. */
  readonly action?: "Ignore" | "Count" | "FailIndex" | "FailJob";
  /** Why the whole Job fails, for the action `FailJob`. */
  readonly message?: string;
}

const COUNTED: FailureVerdict = { counts: true };

/**
 * Judges a failed pod by the first matching rule; without one it counts. Rules with unknown actions are skipped.
 * Upstream: `pkg/controller/job/pod_failure_policy.go`.
 */
export function judgeFailure(job: Job, pod: Pod): FailureVerdict {
  for (const [index, rule] of (job.spec?.podFailurePolicy?.rules ?? []).entries()) {
    const what = matchRule(rule, pod);
    if (what === undefined) continue;
    switch (rule.action) {
      case "Ignore":
        return { counts: false, action: rule.action };
      case "Count":
      case "FailIndex":
        return { counts: true, action: rule.action };
      case "FailJob":
        return { counts: true, action: rule.action, message: `${what} matching FailJob rule at index ${index}` };
    }
  }
  return COUNTED;
}

/** Why the rule matched the pod; `undefined` if it did not. */
function matchRule({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const name = `${pod.metadata?.namespace}/${pod.metadata?.name}`;
  if (onExitCodes) {
    const { containerStatuses, initContainerStatuses } = pod.status ?? {};
    const container = matchExitCodes(containerStatuses, onExitCodes) ??
      matchExitCodes(initContainerStatuses, onExitCodes);
    const code = container?.state?.terminated?.exitCode;
    return container && `Container ${container.name} for pod ${name} failed with exit code ${code}`;
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && pattern.status === status)
  );
  return condition && `Pod ${name} has condition ${condition.type}`;
}

/** The first container whose non-zero exit code the requirement names. */
function matchExitCodes(
  containers: readonly ContainerStatus[] | undefined,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): ContainerStatus | undefined {
  return containers?.find(({ name, state }) => {
    const code = state?.terminated?.exitCode;
    if (!code || (containerName !== undefined && containerName !== name)) return false;
    return operator === "In" ? values.includes(code) : operator === "NotIn" && !values.includes(code);
  });
}
