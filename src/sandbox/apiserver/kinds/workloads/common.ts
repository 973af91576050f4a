import {
  type KubeObject,
  type LabelSelector,
  type PodTemplateSpec,
  SelectorError,
  selectorOf,
} from "../../../../api/mod.ts";
import { attempt } from "../../base/mod.ts";
import type { Stored } from "../../traits/mod.ts";
import { type FieldErrors, isEmptySelector, nonNegative, validateLabelSelector } from "../../validation/mod.ts";
import { nameWarnings, templateWarnings } from "../pods/mod.ts";

/** A selector that is required and must not be empty. */
export function validateSelector(selector: LabelSelector | undefined, errors: FieldErrors, kind: string): void {
  if (!selector) return errors.required("spec.selector");
  validateLabelSelector(selector, "spec.selector", errors);
  if (isEmptySelector(selector)) errors.invalid("spec.selector", selector, `empty selector is invalid for ${kind}`);
}

/**
 * Reports a template that the selector does not match; a missing selector matches nothing.
 * Returns false if the selector is invalid.
 */
export function validateSelects(
  selector: LabelSelector | undefined,
  template: PodTemplateSpec | undefined,
  errors: FieldErrors,
): boolean {
  const labels = template?.metadata?.labels ?? {};
  const matches = selector ? attempt(() => selectorOf(selector).matches(labels), SelectorError) : false;
  if (matches === false) reportMismatch(template, errors);
  return matches !== undefined;
}

/** Reports a template that its owner's selector does not match. */
export function reportMismatch(template: PodTemplateSpec | undefined, errors: FieldErrors): void {
  const labels = template?.metadata?.labels ?? null;
  errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
}

/** The template of a kind whose pods always restart; messages name `kind`. */
export function validateRunsForever(template: PodTemplateSpec | undefined, kind: string, errors: FieldErrors): void {
  const at = "spec.template.spec";
  const { restartPolicy = "", activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== "Always") errors.notSupported(`${at}.restartPolicy`, restartPolicy, ["Always"]);
  if (activeDeadlineSeconds === undefined) return;
  errors.forbidden(`${at}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`);
}

/**
 * Counters of a status: none is negative, none of `parts` exceeds replicas, available does not exceed ready, and the
 * number of hash collisions never decreases.
 *
 * @param names The names of the counters, separated by spaces; so are `parts`.
 */
export function validateCounters(
  { names, parts = "" }: { readonly names: string; readonly parts?: string },
  status: object = {},
  before: object = {},
  errors: FieldErrors,
): void {
  const countIn = (of: object, name: string) => Number((of as Record<string, unknown>)[name] ?? 0);
  const count = (name: string) => countIn(status, name);
  for (const name of `${names} ${parts}`.trim().split(" ")) nonNegative(count(name), `status.${name}`, errors);
  const pairs = parts.split(" ").map((name) => [name, "replicas"]);
  for (const [name, whole] of [...pairs, ["availableReplicas", "readyReplicas"]]) {
    if (parts && count(name) > count(whole)) {
      errors.invalid(`status.${name}`, count(name), `cannot be greater than status.${whole}`);
    }
  }
  if (count("collisionCount") >= countIn(before, "collisionCount")) return;
  errors.invalid("status.collisionCount", count("collisionCount"), "cannot be decremented");
}

/** Warnings about a new or changed template, and about the name of a new object. */
export function workloadWarnings(
  object: Stored<KubeObject>,
  old: Stored<KubeObject> | undefined,
  template: PodTemplateSpec | undefined,
  at = "spec.template",
): string[] {
  if (!old) return [...nameWarnings(object, "Pod names and hostnames"), ...templateWarnings(template, at)];
  return object.metadata.generation === old.metadata.generation ? [] : templateWarnings(template, at);
}
