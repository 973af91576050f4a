import type { Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { changedPaths, type FieldErrors } from "../../validation/mod.ts";
import { MIRROR, validatePodAnnotations } from "./annotations.ts";

type Specs = { readonly spec: PodSpec; readonly before: PodSpec };

/**
 * Only a few fields of a pod may change. The new spec itself is validated like that of a new pod, before this.
 * Upstream: ValidatePodUpdate in `pkg/apis/core/validation/validation.go`.
 */
export function validatePodUpdate(pod: Pod, old: Pod, errors: FieldErrors): void {
  const [spec, before] = [pod.spec!, old.spec!];
  validateAnnotationUpdate(pod, old, errors);
  for (const list of ["containers", "initContainers"] as const) {
    // A list without omitempty may be null.
    if ((spec[list] ?? []).length === (before[list] ?? []).length) continue;
    return errors.forbidden(`spec.${list}`, "pod updates may not add or remove containers");
  }
  if (!validateDeadline({ spec, before }, errors)) return;
  validateTolerationsKept({ spec, before }, errors);
  for (const [i, { name }] of (spec.schedulingGates ?? []).entries()) {
    if (before.schedulingGates?.some((old) => old.name === name)) continue;
    errors.forbidden(`spec.schedulingGates[${i}].name`, `may not be added`);
  }
  if (deepEqual(spec, before)) return;
  const munged = withChangeable({ spec, before });
  if (before.schedulingGates?.length) takeSchedulingOfGated({ spec: munged, before }, errors);
  if (deepEqual(munged, before)) return;
  const changed = changedPaths(munged, before, "spec").join(", ");
  const why = "pod updates may not change fields other than images, activeDeadlineSeconds and additional tolerations";
  errors.forbidden("spec", `${why}, which changes ${changed}`);
}

/** An update cannot make a pod a mirror pod. Upstream: ValidatePodSpecificAnnotationUpdates. */
export function validateAnnotationUpdate(pod: Pod, old: Pod, errors: FieldErrors): void {
  const at = "metadata.annotations";
  if (pod.metadata?.annotations?.[MIRROR] !== old.metadata?.annotations?.[MIRROR]) {
    errors.forbidden(`${at}[${MIRROR}]`, "may not be added or changed");
  }
  validatePodAnnotations(pod, at, errors);
}

/** A deadline may only come closer. Returns false if it is invalid, which is reported here or with the new spec. */
function validateDeadline({ spec, before }: Specs, errors: FieldErrors): boolean {
  const at = "spec.activeDeadlineSeconds";
  const [seconds, old] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  if (seconds === undefined) {
    if (old !== undefined) errors.invalid(at, null, "must not update from a positive integer to nil value");
    return true;
  }
  if (seconds < 0 || seconds > 2147483647) return false;
  if (old === undefined || seconds <= old) return true;
  errors.invalid(at, seconds, "must be less than or equal to previous value");
  return false;
}

function validateTolerationsKept({ spec, before }: Specs, errors: FieldErrors): void {
  const areKept = (before.tolerations ?? []).every((old) =>
    spec.tolerations?.some((one) => deepEqual({ ...old, tolerationSeconds: one.tolerationSeconds }, one))
  );
  if (areKept) return;
  errors.forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
}

/** The new spec with the old values of fields that may change. */
function withChangeable({ spec, before }: Specs): PodSpec {
  const images = (list: readonly Container[] | undefined, old: readonly Container[] | undefined) =>
    list?.map((container, i) => ({ ...container, image: old?.[i].image }));
  const munged: PodSpec = {
    ...spec,
    containers: images(spec.containers, before.containers) ?? [],
    initContainers: images(spec.initContainers, before.initContainers),
    activeDeadlineSeconds: before.activeDeadlineSeconds,
    schedulingGates: before.schedulingGates,
    tolerations: before.tolerations,
  };
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  }
  return munged;
}

/** While a pod is gated, its scheduling constraints may be narrowed. */
function takeSchedulingOfGated({ spec, before }: Specs, errors: FieldErrors): void {
  const { nodeSelector = {} } = spec;
  const old = Object.entries(before.nodeSelector ?? {});
  if (old.some(([key, value]) => nodeSelector[key] !== value)) {
    errors.invalid("spec.nodeSelector", spec.nodeSelector ?? null, "may only be added to");
  }
  spec.nodeSelector = before.nodeSelector;
  const affinityBefore = before.affinity?.nodeAffinity;
  const affinity = spec.affinity?.nodeAffinity;
  if (deepEqual(affinity, affinityBefore)) return;
  validateNodeAffinityNarrowed(affinity, affinityBefore, errors);
  const { nodeAffinity: _own, ...rest } = spec.affinity ?? {};
  if (Object.keys(rest).length > 0 || before.affinity) {
    spec.affinity = affinityBefore ? { ...rest, nodeAffinity: affinityBefore } : rest;
  } else delete spec.affinity;
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

function validateNodeAffinityNarrowed(
  affinity: NodeAffinity | undefined,
  before: NodeAffinity | undefined,
  errors: FieldErrors,
): void {
  const old = before?.[REQUIRED]?.nodeSelectorTerms;
  if (!old) return;
  const terms = affinity?.[REQUIRED]?.nodeSelectorTerms ?? [];
  const at = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  if (old.length > 0 && old.length !== terms.length) {
    return errors.invalid(at, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  }
  for (const [i, term] of terms.entries()) {
    if (onlyAdds(term, old[i])) continue;
    errors.invalid(`${at}[${i}]`, term, "may only be added to");
  }
}

function onlyAdds(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  const isEmpty = (one: NodeSelectorTerm) => lists.every((list) => !one[list]?.length);
  if (isEmpty(old)) return isEmpty(term);
  return lists.every((list) => {
    const kept = old[list] ?? [];
    return deepEqual((term[list] ?? []).slice(0, kept.length), kept);
  });
}
