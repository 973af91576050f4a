import type { KubeObject, LabelSelector, PodTemplateSpec } from "../../../../api/mod.ts";
import type { Stored } from "../../traits/mod.ts";
import { dnsLabel, type FieldErrors, nonNegative } from "../../validation/mod.ts";
import {
  reportMismatch,
  selectsTemplate,
  templateWarnings,
  validateRunsForever,
  validateTemplate,
} from "../pods/mod.ts";

/** A selector and the template that it must match. */
export interface Selecting {
  readonly selector: LabelSelector | undefined;
  readonly template: PodTemplateSpec | undefined;
}

/** The template of a Deployment or ReplicaSet. Upstream: ValidatePodTemplateSpecForReplicaSet. */
export function validateReplicatedTemplate({ selector, template }: Selecting, errors: FieldErrors): void {
  const at = "spec.template";
  const matches = selector ? selectsTemplate(selector, template) : true;
  if (matches === undefined) return errors.invalid("spec.selector", selector, "invalid label selector");
  // A missing selector matches nothing; upstream reports a mismatch as well.
  if (!matches || !selector) reportMismatch(template, at, errors);
  validateTemplate(template, at, errors);
  validateRunsForever(template, "ReplicaSet", at, errors);
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

/** Pods of an owner whose name is not a valid hostname cannot be reached by name. */
export function nameWarnings({ metadata }: Stored<KubeObject>): string[] {
  const problems = dnsLabel(metadata.name ?? "");
  if (problems.length === 0) return [];
  const why =
    "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${why}: [${problems.join(" ")}]`];
}

/** Warnings about a new or changed template, and about the name of a new object. */
export function workloadWarnings(
  object: Stored<KubeObject>,
  old: Stored<KubeObject> | undefined,
  template: PodTemplateSpec | undefined,
  at = "spec.template",
): string[] {
  if (!old) return [...nameWarnings(object), ...templateWarnings(template, at)];
  return object.metadata.generation === old.metadata.generation ? [] : templateWarnings(template, at);
}
