import type { PodTemplateSpec } from "../../../../api/mod.ts";
import { type FieldErrors, validateAnnotations, validateLabels } from "../../validation/mod.ts";
import { validatePodAnnotations } from "./annotations.ts";
import { validatePodSpec } from "./spec.ts";

/**
 * A pod template, whose labels and annotations upstream reports without `metadata` in the path.
 * Upstream: ValidatePodTemplateSpec.
 */
export function validateTemplate(template: PodTemplateSpec = {}, at: string, errors: FieldErrors): void {
  const { metadata, spec = { containers: [] } } = template;
  validateLabels(metadata?.labels, `${at}.labels`, errors);
  validateAnnotations(metadata?.annotations, `${at}.annotations`, errors);
  validatePodAnnotations(template, `${at}.annotations`, errors);
  validatePodSpec(spec, `${at}.spec`, errors);
  if (spec.ephemeralContainers?.length) {
    errors.forbidden(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template");
  }
}
