import type { PodTemplateSpec } from "../../../../api/mod.ts";
import type { FieldErrors } from "../../validation/mod.ts";

export const MIRROR = "kubernetes.io/config.mirror";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

function isDeletionCost(text: string): boolean {
  const cost = Number(text);
  return /^(0|-?[1-9]\d*|-0\d*)$/.test(text) && cost >= -(2 ** 31) && cost < 2 ** 31;
}

/** Annotations with a meaning for pods. Upstream: ValidatePodSpecificAnnotations. */
export function validatePodAnnotations({ metadata, spec }: PodTemplateSpec, at: string, errors: FieldErrors): void {
  const { [MIRROR]: mirror, [DELETION_COST]: cost } = metadata?.annotations ?? {};
  if (mirror !== undefined && !spec?.nodeName) {
    errors.invalid(`${at}[${MIRROR}]`, mirror, "must set spec.nodeName if mirror pod annotation is set");
  }
  if (cost !== undefined && !isDeletionCost(cost)) {
    errors.invalid(`${at}[${DELETION_COST}]`, cost, "must be a 32bit integer");
  }
}
