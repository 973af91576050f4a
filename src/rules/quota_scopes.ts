import {
  type LabelRequirement,
  labelRequirement,
  type PersistentVolumeClaim,
  type Pod,
  type PodAffinityTerm,
  Quantity,
  type QuantityValue,
  requirementMatches,
  type ResourceQuota,
  type ScopedResourceSelectorRequirement,
  SelectorError,
  type SelectorOperator,
} from "../api/mod.ts";
import { goQuote } from "../base/mod.ts";

/** A condition that an object must meet to count towards a quota. */
export type QuotaScope = ScopedResourceSelectorRequirement;

const PRIORITY_CLASS = "PriorityClass";
const VOLUME_ATTRIBUTES_CLASS = "VolumeAttributesClass";

const OPERATORS: Readonly<Record<string, SelectorOperator>> = {
  In: "in",
  NotIn: "notin",
  DoesNotExist: "!",
};

/** The conditions of a quota, from `spec.scopes` and `spec.scopeSelector`. */
export function quotaScopes({ spec }: ResourceQuota): QuotaScope[] {
  const named = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...named, ...spec?.scopeSelector?.matchExpressions ?? []];
}

/** The scopes that apply to pods. Upstream: `pkg/quota/v1/evaluator/core/pods.go` (podMatchesScopeFunc). */
const POD_SCOPES: Readonly<Record<string, (pod: Pod, scope: QuotaScope) => boolean>> = {
  Terminating: isTerminatingPod,
  NotTerminating: (pod) => !isTerminatingPod(pod),
  BestEffort: isBestEffort,
  NotBestEffort: (pod) => !isBestEffort(pod),
  [PRIORITY_CLASS]: ({ spec }, scope) => namesMatch([spec?.priorityClassName], scope),
  CrossNamespacePodAffinity: usesOtherNamespaces,
};

/**
 * Whether the condition holds for a pod; one that does not apply to pods never does.
 *
 * @throws {SelectorError} If names cannot be matched against it.
 */
export function podMatchesScope(pod: Pod, scope: QuotaScope): boolean {
  return Object.hasOwn(POD_SCOPES, scope.scopeName) && POD_SCOPES[scope.scopeName](pod, scope);
}

/**
 * Whether the condition holds for a claim; only its volume attributes classes can be selected.
 *
 * @throws {SelectorError} If names cannot be matched against it.
 */
export function claimMatchesScope({ spec, status }: PersistentVolumeClaim, scope: QuotaScope): boolean {
  if (scope.scopeName !== VOLUME_ATTRIBUTES_CLASS) return false;
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName;
  return namesMatch([spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target], scope);
}

/** Whether the pod has a deadline: the scope `Terminating`, which has nothing to do with being deleted. */
export function isTerminatingPod({ spec }: Pod): boolean {
  return spec?.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;
}

/**
 * Each scope's requirement, parsed once: it may have tens of thousands of values, and is matched with each pod of a
 * namespace.
 */
const requirements = new WeakMap<QuotaScope, LabelRequirement>();

/** @throws {SelectorError} If it is invalid. */
function requirementOf(scope: QuotaScope): LabelRequirement {
  let requirement = requirements.get(scope);
  if (!requirement) {
    const { scopeName, operator, values = [] } = scope;
    if (!Object.hasOwn(OPERATORS, operator)) {
      throw new SelectorError(`${goQuote(operator)} is not a valid scope selector operator`);
    }
    requirements.set(scope, requirement = labelRequirement(scopeName, OPERATORS[operator], values));
  }
  return requirement;
}

/** Whether one of the names that are set meets the condition, or the absence of a name if none is. */
function namesMatch(names: readonly (string | undefined)[], scope: QuotaScope): boolean {
  const { scopeName, operator } = scope;
  const present = names.filter((name) => name !== undefined && name !== "");
  if (operator === "Exists") return present.length > 0;
  const requirement = requirementOf(scope);
  if (present.length === 0) return requirementMatches(requirement, {});
  return present.some((name) => requirementMatches(requirement, { [scopeName]: name! }));
}

/** Whether the pod is BestEffort: by the class in its status, or else because it requests neither CPU nor memory. */
function isBestEffort({ spec, status }: Pod): boolean {
  if (status?.qosClass) return status.qosClass === "BestEffort";
  const all = [...spec?.containers ?? [], ...spec?.initContainers ?? []].map(({ resources }) => resources);
  return ![...all, spec?.resources].some((each) => asksForSome(each?.requests) || asksForSome(each?.limits));
}

function asksForSome(list: Readonly<Record<string, QuantityValue>> | undefined): boolean {
  return [list?.cpu, list?.memory].some((value) => value !== undefined && Quantity.parse(value).sign > 0);
}

function usesOtherNamespaces({ spec }: Pod): boolean {
  const crosses = ({ namespaces, namespaceSelector }: PodAffinityTerm) =>
    Boolean(namespaces?.length) || namespaceSelector !== undefined;
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) =>
    affinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(crosses) ||
    affinity?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }) => crosses(podAffinityTerm))
  );
}
