import type { PodSpec } from "../../../../api/mod.ts";
import type { FieldErrors } from "../../validation/mod.ts";

type Annotations = Readonly<Record<string, string>>;

export const MIRROR = "kubernetes.io/config.mirror";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

function isDeletionCost(text: string): boolean {
  const cost = Number(text);
  return /^(0|-?[1-9]\d*|-0\d*)$/.test(text) && cost >= -(2 ** 31) && cost < 2 ** 31;
}

/** Annotations with a meaning for pods. Upstream: ValidatePodSpecificAnnotations. */
export function validatePodAnnotations(
  annotations: Annotations | undefined,
  spec: PodSpec,
  at: string,
  errors: FieldErrors,
): void {
  if (!annotations) return;
  if (MIRROR in annotations && !spec.nodeName) {
    errors.invalid(`${at}[${MIRROR}]`, annotations[MIRROR], "must set spec.nodeName if mirror pod annotation is set");
  }
  const cost = annotations[DELETION_COST];
  if (cost !== undefined && !isDeletionCost(cost)) {
    errors.invalid(`${at}[${DELETION_COST}]`, cost, "must be a 32bit integer");
  }
}

/** An update cannot make a pod a mirror pod. Upstream: ValidatePodSpecificAnnotationUpdates. */
export function validateAnnotationsKept(
  annotations: Annotations = {},
  before: Annotations = {},
  at: string,
  errors: FieldErrors,
): void {
  if (annotations[MIRROR] !== before[MIRROR]) errors.forbidden(`${at}[${MIRROR}]`, "may not be added or changed");
}
