import type { LabelSelector, PodTemplateSpec } from "../../../../api/mod.ts";
import { SelectorError, selectorOf } from "../../../../api/mod.ts";
import { attempt } from "../../base/mod.ts";
import {
  type FieldErrors,
  isEmptySelector,
  validateAnnotations,
  validateLabels,
  validateLabelSelector,
} from "../../validation/mod.ts";
import { validatePodAnnotations } from "./annotations.ts";
import { validatePodSpec } from "./spec.ts";

/** A pod template. Upstream: ValidatePodTemplateSpec. */
export function validateTemplate(template: PodTemplateSpec | undefined, at: string, errors: FieldErrors): void {
  const spec = template?.spec ?? { containers: [] };
  validateTemplateMetadata(template, at, errors);
  validatePodSpec(spec, `${at}.spec`, errors, { isPod: false });
  if (spec.ephemeralContainers?.length) {
    errors.forbidden(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template");
  }
}

/** The labels and annotations of a template, which upstream reports without `metadata` in the path. */
export function validateTemplateMetadata(
  template: PodTemplateSpec | undefined,
  at: string,
  errors: FieldErrors,
): void {
  const { metadata = {} } = template ?? {};
  validateLabels(metadata.labels, `${at}.labels`, errors);
  validateAnnotations(metadata.annotations, `${at}.annotations`, errors);
  validatePodAnnotations(metadata.annotations, template?.spec ?? { containers: [] }, `${at}.annotations`, errors);
}

/** The template of a kind whose pods always restart; messages name `kind`. */
export function validateRunsForever(
  template: PodTemplateSpec | undefined,
  kind: string,
  at: string,
  errors: FieldErrors,
): void {
  const { restartPolicy = "", activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== "Always") errors.notSupported(`${at}.spec.restartPolicy`, restartPolicy, ["Always"]);
  if (activeDeadlineSeconds !== undefined) {
    errors.forbidden(`${at}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

/** Whether the selector matches the template's pods; undefined if the selector is invalid. */
export function selectsTemplate(
  selector: LabelSelector | undefined,
  template: PodTemplateSpec | undefined,
): boolean | undefined {
  return attempt(() => selectorOf(selector).matches(template?.metadata?.labels ?? {}), SelectorError);
}

/** Reports a template that its owner's selector does not match. */
export function reportMismatch(template: PodTemplateSpec | undefined, at: string, errors: FieldErrors): void {
  const labels = template?.metadata?.labels ?? null;
  errors.invalid(`${at}.metadata.labels`, labels, "`selector` does not match template `labels`");
}

/** A selector that is required and must not be empty. */
export function validateSelector(
  selector: LabelSelector | undefined,
  at: string,
  errors: FieldErrors,
  kind: string,
): void {
  if (!selector) return errors.required(at);
  validateLabelSelector(selector, at, errors);
  if (isEmptySelector(selector)) errors.invalid(at, selector, `empty selector is invalid for ${kind}`);
}
