import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from "../../../../api/mod.ts";
import { byteLength, type Check, type FieldErrors, fields, oneOf, valuesOf } from "../../validation/mod.ts";
import { descendingPath } from "../shared/mod.ts";
import { validateWindowsOptions } from "./windows.ts";

const profileType = valuesOf("core.v1.SeccompProfile", "type");

const seccompProfile: Check<SeccompProfile> = (profile, at, errors) => {
  const { type = "", localhostProfile } = profile;
  const field = `${at}.localhostProfile`;
  if (!type) errors.required(`${at}.type`);
  else profileType(type, `${at}.type`, errors);
  if (type !== "Localhost") {
    if (localhostProfile !== undefined) errors.invalid(field, profile, "can only be set for the type Localhost");
  } else if (localhostProfile === undefined) errors.required(field, "must be set for the type Localhost");
  else descendingPath(localhostProfile, field, errors);
};

const appArmorProfile: Check<AppArmorProfile> = ({ type = "", localhostProfile }, at, errors) => {
  const field = `${at}.localhostProfile`;
  if (!type) return errors.required(`${at}.type`);
  const count = errors.count;
  profileType(type, `${at}.type`, errors);
  if (errors.count > count) return;
  if (type !== "Localhost") {
    if (localhostProfile !== undefined) {
      errors.invalid(field, localhostProfile, "can only be set for the type Localhost");
    }
    return;
  }
  if (!localhostProfile) return errors.required(field, "must be set for the type Localhost");
  if (localhostProfile.trim() !== localhostProfile) errors.invalid(field, localhostProfile, "must not be padded");
  if (byteLength(localhostProfile) > 4095) errors.tooLong(field, 4095);
};

const containerContext = fields<SecurityContext>({
  runAsUser: "account",
  runAsGroup: "account",
  procMount: "one",
  seccompProfile,
  windowsOptions: validateWindowsOptions,
  appArmorProfile,
}, "core.v1.SecurityContext");

/** The security context of a container. Upstream: ValidateSecurityContext. */
export function validateSecurityContext(
  context: SecurityContext,
  hostUsers: boolean,
  at: string,
  errors: FieldErrors,
): void {
  containerContext(context, at, errors);
  const { procMount, privileged, allowPrivilegeEscalation, capabilities } = context;
  if (hostUsers && procMount === "Unmasked") {
    errors.invalid(`${at}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`");
  }
  if (allowPrivilegeEscalation !== false) return;
  if (privileged || capabilities?.add?.includes("CAP_SYS_ADMIN")) {
    errors.invalid(at, context, "privileged containers, or with CAP_SYS_ADMIN, need `allowPrivilegeEscalation`");
  }
}

const SYSCTL_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const SYSCTL_PATTERN = new RegExp(`^(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}$`);
const IPC_SYSCTLS = /^(kernel\.(sem|shm\w*|msg\w*)|fs\.mqueue\.)/;

function validateSysctls(sysctls: readonly { name?: string }[], spec: PodSpec, at: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { name = "" }] of sysctls.entries()) {
    const path = `${at}[${i}].name`;
    if (!name) errors.required(path);
    else if (name.length > 253 || !SYSCTL_PATTERN.test(name)) {
      errors.invalid(path, name, "must be the name of a sysctl");
    } else if (seen.has(name)) errors.duplicate(path, name);
    const dotted = name.replaceAll("/", ".");
    const [isNet, isIpc] = [spec.hostNetwork && dotted.startsWith("net."), spec.hostIPC && IPC_SYSCTLS.test(dotted)];
    if (isNet || isIpc) errors.invalid(path, name, `may not be set together with ${isNet ? "hostNetwork" : "hostIPC"}`);
    seen.add(name);
  }
}

const podContext = fields<PodSecurityContext>({
  fsGroup: "account",
  runAsUser: "account",
  runAsGroup: "account",
  supplementalGroups: "[]account",
  fsGroupChangePolicy: "one",
  seccompProfile,
  windowsOptions: validateWindowsOptions,
  appArmorProfile,
  supplementalGroupsPolicy: "one",
  seLinuxChangePolicy: oneOf("MountOption", "Recursive"),
}, "core.v1.PodSecurityContext");

/** The security context of a pod. Upstream: validatePodSpecSecurityContext. */
export function validatePodSecurityContext(
  context: PodSecurityContext,
  spec: PodSpec,
  at: string,
  errors: FieldErrors,
): void {
  podContext(context, at, errors);
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.invalid(`${at}.shareProcessNamespace`, true, "must not be set together with hostPID");
  }
  if (context.sysctls?.length) validateSysctls(context.sysctls, spec, `${at}.sysctls`, errors);
}
