import type {
  Container,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSchedulingGate,
  PodSpec,
  Toleration,
} from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { changedPaths, type FieldErrors, notBetween } from "../../validation/mod.ts";
import { validateAnnotationsKept, validatePodAnnotations } from "./annotations.ts";
import { validateImage } from "./containers.ts";
import { validateTolerations } from "./scheduling.ts";

type Specs = { readonly spec: PodSpec; readonly before: PodSpec };

/** Only a few fields of a pod may change. Upstream: ValidatePodUpdate in `pkg/apis/core/validation/validation.go`. */
export function validatePodUpdate(pod: Pod, old: Pod, errors: FieldErrors): void {
  const [spec, before] = [pod.spec!, old.spec!];
  validateAnnotationUpdate(pod, old, errors);
  // A list without omitempty may be null.
  if (!validateImages(spec.containers ?? [], before.containers ?? [], "spec.containers", errors)) return;
  if (!validateImages(spec.initContainers, before.initContainers, "spec.initContainers", errors)) return;
  if (!validateDeadline({ spec, before }, errors)) return;
  validateTolerationsKept(spec.tolerations ?? [], before.tolerations ?? [], errors);
  validateGatesOnlyRemoved(spec.schedulingGates ?? [], before.schedulingGates ?? [], errors);
  if (deepEqual(spec, before)) return;
  const munged = withChangeable({ spec, before });
  if (before.schedulingGates?.length) takeSchedulingOfGated({ spec: munged, before }, errors);
  if (deepEqual(munged, before)) return;
  const changed = changedPaths(munged, before, "spec").join(", ");
  const why = "pod updates may not change fields other than images, activeDeadlineSeconds and additional tolerations";
  errors.forbidden("spec", `${why}, which changes ${changed}`);
}

/** Annotations that cannot change. */
export function validateAnnotationUpdate({ metadata, spec }: Pod, old: Pod, errors: FieldErrors): void {
  const at = "metadata.annotations";
  validateAnnotationsKept(metadata?.annotations, old.metadata?.annotations, at, errors);
  validatePodAnnotations(metadata?.annotations, spec!, at, errors);
}

/** Returns false if the number of containers changed, which makes further checks meaningless. */
function validateImages(
  containers: readonly Container[] = [],
  before: readonly Container[] = [],
  at: string,
  errors: FieldErrors,
): boolean {
  if (containers.length !== before.length) {
    errors.forbidden(at, "pod updates may not add or remove containers");
    return false;
  }
  for (const [i, container] of containers.entries()) {
    if (!container.image) errors.required(`${at}[${i}].image`);
    validateImage(container, `${at}[${i}]`, errors);
  }
  return true;
}

function validateDeadline({ spec, before }: Specs, errors: FieldErrors): boolean {
  const at = "spec.activeDeadlineSeconds";
  const [seconds, old] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  if (seconds === undefined) {
    if (old !== undefined) errors.invalid(at, null, "must not update from a positive integer to nil value");
    return true;
  }
  if (seconds < 0 || seconds > 2147483647) errors.invalid(at, seconds, notBetween(0, 2147483647));
  else if (old !== undefined && old < seconds) {
    errors.invalid(at, seconds, "must be less than or equal to previous value");
  } else return true;
  return false;
}

function validateTolerationsKept(
  tolerations: readonly Toleration[],
  before: readonly Toleration[],
  errors: FieldErrors,
): void {
  const kept = before.every((old) =>
    tolerations.some((one) => deepEqual({ ...old, tolerationSeconds: one.tolerationSeconds }, one))
  );
  if (kept) return validateTolerations(tolerations, "spec.tolerations", errors);
  errors.forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
}

function validateGatesOnlyRemoved(
  gates: readonly PodSchedulingGate[],
  before: readonly PodSchedulingGate[],
  errors: FieldErrors,
): void {
  for (const [i, { name }] of gates.entries()) {
    if (before.some((old) => old.name === name)) continue;
    errors.forbidden(`spec.schedulingGates[${i}].name`, `may not be added`);
  }
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
