import type { PodSecurityContext, SeccompProfile, SecurityContext } from "../../../../api/mod.ts";
import { type Check, each, fields, oneOf, required, unique } from "../../validation/mod.ts";
import { descendingPath } from "../shared/mod.ts";

const profileFields = fields<SeccompProfile>({ type: "!one" }, "core.v1.SeccompProfile");

/** A profile of seccomp or AppArmor: a local one has a path, others have none. */
const profile: Check<SeccompProfile> = (one, at, errors) => {
  profileFields(one, at, errors);
  const { type, localhostProfile: path } = one;
  const field = `${at}.localhostProfile`;
  if (type !== "Localhost") {
    if (path !== undefined) errors.invalid(field, path, "can only be set for the type Localhost");
  } else if (path === undefined) errors.required(field, "must be set for the type Localhost");
  else descendingPath(path, field, errors);
};

const containerContext = fields<SecurityContext>({
  runAsUser: "account",
  runAsGroup: "account",
  procMount: "one",
  seccompProfile: profile,
  appArmorProfile: profile,
}, "core.v1.SecurityContext");

/** The security context of a container. Upstream: ValidateSecurityContext. */
export const validateSecurityContext: Check<SecurityContext> = (context, at, errors) => {
  containerContext(context, at, errors);
  const { privileged, allowPrivilegeEscalation, capabilities } = context;
  if (allowPrivilegeEscalation !== false) return;
  if (privileged || capabilities?.add?.includes("CAP_SYS_ADMIN")) {
    errors.invalid(at, context, "privileged containers, or with CAP_SYS_ADMIN, need `allowPrivilegeEscalation`");
  }
};

const SYSCTL = /^(?=.{1,253}$)[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;

const sysctl = fields<{ name?: string }>({
  name: required((name, at, errors) => SYSCTL.test(name) || errors.invalid(at, name, "must be the name of a sysctl")),
});

/** The security context of a pod. Upstream: validatePodSpecSecurityContext. */
export const validatePodSecurityContext: Check<PodSecurityContext> = fields<PodSecurityContext>({
  fsGroup: "account",
  runAsUser: "account",
  runAsGroup: "account",
  supplementalGroups: "[]account",
  fsGroupChangePolicy: "one",
  seccompProfile: profile,
  appArmorProfile: profile,
  supplementalGroupsPolicy: "one",
  seLinuxChangePolicy: oneOf("MountOption", "Recursive"),
  sysctls(list, at, errors) {
    each(sysctl)(list, at, errors);
    unique(list, at, errors, ({ name }) => name, ".name");
  },
}, "core.v1.PodSecurityContext");
