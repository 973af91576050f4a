import type { ObjectMeta, PodSpec } from "../../../../api/mod.ts";
import type { FieldErrors } from "../../validation/mod.ts";
import { visitContainers } from "./visit.ts";

type Annotations = Readonly<Record<string, string>>;

export const MIRROR = "kubernetes.io/config.mirror";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
export const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
export const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
export const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

function isDeletionCost(text: string): boolean {
  const cost = Number(text);
  return /^(0|-?[1-9]\d*|-0\d*)$/.test(text) && cost >= -(2 ** 31) && cost < 2 ** 31;
}

function validateAppArmor(spec: PodSpec, key: string, profile: string, at: string, errors: FieldErrors): void {
  const name = key.slice(APP_ARMOR.length);
  let found = false;
  visitContainers(spec, "", (container) => found ||= container.name === name);
  if (!found) errors.invalid(`${at}[${key}]`, name, "container not found");
  if (["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith("localhost/")) return;
  errors.invalid(`${at}[${key}]`, profile, "must be a valid AppArmor profile");
}

/**
 * Annotations with a meaning for pods; those for seccomp have lost theirs. Upstream: ValidatePodSpecificAnnotations.
 */
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
  for (const key in annotations) {
    if (key.startsWith(APP_ARMOR)) validateAppArmor(spec, key, annotations[key], at, errors);
  }
}

/** How an update may change them. Upstream: ValidatePodSpecificAnnotationUpdates. */
export function validateAnnotationsKept(
  annotations: Annotations = {},
  before: Annotations = {},
  at: string,
  errors: FieldErrors,
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(annotations)])) {
    const isKept = key === MIRROR || key.startsWith(APP_ARMOR);
    if (isKept && annotations[key] !== before[key]) errors.forbidden(`${at}[${key}]`, "may not be added or changed");
  }
}

/**
 * An AppArmor profile in a field must equal the one in the old annotation. Those for seccomp no longer have an effect.
 */
export function validateProfilesMatch(
  { annotations }: ObjectMeta,
  spec: PodSpec,
  at: string,
  errors: FieldErrors,
): void {
  if (!annotations || spec.os?.name === "windows") return;
  visitContainers(spec, at, ({ name, securityContext }, path) => {
    const { type, localhostProfile } = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile ?? {};
    const annotation = annotations[`${APP_ARMOR}${name}`];
    if (type === undefined || annotation === undefined) return;
    const field = `${path}.securityContext.appArmorProfile`;
    const why = "must be what the annotation says";
    const wanted = { Unconfined: "unconfined", RuntimeDefault: "runtime/default", Localhost: "localhost/" }[type];
    if (type === "Localhost" ? !annotation.startsWith("localhost/") : wanted && annotation !== wanted) {
      errors.forbidden(`${field}.type`, why);
    } else if (type === "Localhost" && annotation.slice("localhost/".length) !== localhostProfile) {
      errors.forbidden(`${field}.localhostProfile`, why);
    }
  });
}
