import type { ObjectMeta, PodSpec, SeccompProfile } from "../../../../api/mod.ts";
import { type FieldErrors, quote } from "../../validation/mod.ts";
import { descendingPath } from "../shared/mod.ts";
import { visitContainers } from "./visit.ts";

type Annotations = Readonly<Record<string, string>>;

export const MIRROR = "kubernetes.io/config.mirror";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

function isDeletionCost(text: string): boolean {
  const cost = Number(text);
  return /^(0|-?[1-9]\d*|-0\d*)$/.test(text) && cost >= -(2 ** 31) && cost < 2 ** 31;
}

function validateSeccomp(profile: string, at: string, errors: FieldErrors): void {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith("localhost/")) descendingPath(profile.slice("localhost/".length), at, errors);
  else errors.invalid(at, profile, "must be a valid seccomp profile");
}

function validateAppArmor(spec: PodSpec, key: string, profile: string, at: string, errors: FieldErrors): void {
  const name = key.slice(APP_ARMOR.length);
  let found = false;
  visitContainers(spec, "", (container) => found ||= container.name === name);
  if (!found) errors.invalid(`${at}[${key}]`, name, "container not found");
  if (["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith("localhost/")) return;
  errors.invalid(`${at}[${key}]`, profile, `invalid AppArmor profile name: ${quote(profile)}`);
}

/** Annotations that mean something to pods. Upstream: ValidatePodSpecificAnnotations. */
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
    if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER)) {
      validateSeccomp(annotations[key], `${at}.${key}`, errors);
    }
  }
  for (const key in annotations) {
    if (key.startsWith(APP_ARMOR)) validateAppArmor(spec, key, annotations[key], at, errors);
  }
}

/** What an update may not do to them. Upstream: ValidatePodSpecificAnnotationUpdates. */
export function validateAnnotationsKept(
  annotations: Annotations = {},
  before: Annotations = {},
  at: string,
  errors: FieldErrors,
): void {
  const names: ReadonlyArray<readonly [isIt: (key: string) => boolean, name: string]> = [
    [(key) => key.startsWith(APP_ARMOR), "AppArmor annotations"],
    [(key) => key === MIRROR, "mirror pod annotation"],
  ];
  for (const key in before) {
    if (annotations[key] === before[key]) continue;
    for (const [isIt, name] of names) {
      if (isIt(key)) errors.forbidden(`${at}[${key}]`, `may not remove or update ${name}`);
    }
  }
  for (const key in annotations) {
    if (Object.hasOwn(before, key)) continue;
    for (const [isIt, name] of names) if (isIt(key)) errors.forbidden(`${at}[${key}]`, `may not add ${name}`);
  }
}

/** A profile in a field and one in an annotation of old must be the same. */
export function validateProfilesMatch(
  { annotations }: ObjectMeta,
  spec: PodSpec,
  at: string,
  errors: FieldErrors,
): void {
  if (!annotations) return;
  const podSeccomp = spec.securityContext?.seccompProfile;
  const ofPod = annotations[SECCOMP_POD];
  if (podSeccomp && ofPod !== undefined) {
    validateMatch("seccomp", ofPod, podSeccomp, `${at}.securityContext.seccompProfile`, errors);
  }
  visitContainers(spec, at, ({ name, securityContext }, path) => {
    const annotation = annotations[`${SECCOMP_CONTAINER}${name}`];
    if (securityContext?.seccompProfile && annotation !== undefined) {
      const field = `${path}.securityContext.seccompProfile`;
      validateMatch("seccomp", annotation, securityContext.seccompProfile, field, errors);
    }
  });
  if (spec.os?.name === "windows") return;
  visitContainers(spec, at, ({ name, securityContext }, path) => {
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const annotation = annotations[`${APP_ARMOR}${name}`];
    if (!profile || annotation === undefined) return;
    validateMatch("apparmor", annotation, profile, `${path}.securityContext.appArmorProfile`, errors);
  });
}

function validateMatch(
  what: "seccomp" | "apparmor",
  annotation: string,
  { type, localhostProfile }: SeccompProfile,
  at: string,
  errors: FieldErrors,
): void {
  const names = what === "seccomp" ? ["runtime/default", "docker/default"] : ["runtime/default"];
  const fits = type === "Unconfined"
    ? annotation === "unconfined"
    : type === "RuntimeDefault"
    ? names.includes(annotation)
    : type === "Localhost"
    ? annotation.startsWith("localhost/")
    : true;
  if (!fits) return errors.forbidden(`${at}.type`, `${what} type in annotation and field must match`);
  if (type !== "Localhost" || annotation.slice("localhost/".length) === localhostProfile) return;
  errors.forbidden(`${at}.localhostProfile`, `${what} profile in annotation and field must match`);
}
