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

/** A selector and the template whose pods it is to find. */
export interface Selecting {
  readonly selector: LabelSelector | undefined;
  readonly template: PodTemplateSpec | undefined;
}

/** The template of a Deployment or ReplicaSet. Upstream: ValidatePodTemplateSpecForReplicaSet. */
export function validateReplicatedTemplate({ selector, template }: Selecting, errors: FieldErrors): void {
  const at = "spec.template";
  const matches = selector ? selectsTemplate(selector, template) : true;
  if (matches === undefined) return errors.invalid("spec.selector", selector, "invalid label selector");
  // No selector selects nothing; upstream reports that as a mismatch, too.
  if (!matches || !selector) reportMismatch(template, at, errors);
  validateTemplate(template, at, errors);
  validateRunsForever(template, "ReplicaSet", at, errors);
}

/** Counters of a status: none negative, none of `parts` more than `whole`. */
export function validateCounters<T extends object>(
  status: T | undefined,
  counters: readonly (keyof T & string)[],
  { whole, parts }: { readonly whole?: keyof T & string; readonly parts?: readonly (keyof T & string)[] },
  errors: FieldErrors,
): void {
  const count = (name: keyof T & string): number => {
    const value = status?.[name];
    return typeof value === "number" ? value : 0;
  };
  for (const name of counters) nonNegative(count(name), `status.${name}`, errors);
  if (!whole) return;
  for (const name of parts ?? []) {
    if (count(name) <= count(whole)) continue;
    errors.invalid(`status.${name}`, count(name), `cannot be greater than status.${whole}`);
  }
}

/** More cannot be available than are ready. */
export function validateAvailable(
  { availableReplicas = 0, readyReplicas = 0 }: { availableReplicas?: number; readyReplicas?: number },
  name: string,
  errors: FieldErrors,
): void {
  if (availableReplicas <= readyReplicas) return;
  errors.invalid("status.availableReplicas", availableReplicas, `cannot be greater than ${name}`);
}

/** The number of hash collisions only grows. */
export function validateCollisions(
  status: { collisionCount?: number } | undefined,
  before: { collisionCount?: number } | undefined,
  errors: FieldErrors,
): void {
  const [count, old] = [status?.collisionCount, before?.collisionCount];
  if (old === undefined || (count !== undefined && count >= old)) return;
  errors.invalid("status.collisionCount", count ?? 0, "cannot be decremented");
}

/** Names that cannot be hostnames make pods that cannot be reached. */
export function nameWarnings({ metadata }: Stored<KubeObject>): string[] {
  const problems = dnsLabel(metadata.name ?? "");
  if (problems.length === 0) return [];
  const why =
    "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${why}: [${problems.join(" ")}]`];
}

/** Warnings for a template that is new or was changed, and for the names of those that are new. */
export function workloadWarnings(
  object: Stored<KubeObject>,
  old: Stored<KubeObject> | undefined,
  template: PodTemplateSpec | undefined,
  at = "spec.template",
): string[] {
  if (!old) return [...nameWarnings(object), ...templateWarnings(template, at)];
  return object.metadata.generation === old.metadata.generation ? [] : templateWarnings(template, at);
}
