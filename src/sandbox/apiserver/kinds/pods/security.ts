import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from "../../../../api/mod.ts";
import { accountId, byteLength, type Check, each, type FieldErrors, fields, oneOf } from "../../validation/mod.ts";
import { descendingPath } from "../shared/mod.ts";
import { validateWindowsOptions } from "./windows.ts";

const account: Check<number> = (value, at, errors) => errors.invalidFor(at, value, accountId(value));

const PROFILE_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];

const seccompProfile: Check<SeccompProfile> = (profile, at, errors) => {
  const { type = "", localhostProfile } = profile;
  if (!type) errors.required(`${at}.type`, "type is required when seccompProfile is set");
  else oneOf(...PROFILE_TYPES)(type, `${at}.type`, errors);
  if (type === "Localhost") {
    if (localhostProfile === undefined) {
      errors.required(`${at}.localhostProfile`, "must be set when seccomp type is Localhost");
    } else descendingPath(localhostProfile, `${at}.localhostProfile`, errors);
  } else if (localhostProfile !== undefined) {
    const why = "can only be set when seccomp type is Localhost";
    errors.invalid(`${at}.localhostProfile`, profile, why);
  }
};

const appArmorProfile: Check<AppArmorProfile> = ({ type = "", localhostProfile }, at, errors) => {
  const field = `${at}.localhostProfile`;
  if (!type) return errors.required(`${at}.type`, "type is required when appArmorProfile is set");
  if (!PROFILE_TYPES.includes(type)) return errors.notSupported(`${at}.type`, type, PROFILE_TYPES);
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return;
    return errors.invalid(field, localhostProfile, "can only be set when AppArmor type is Localhost");
  }
  const missing = "must be set when AppArmor type is Localhost";
  if (localhostProfile === undefined) return errors.required(field, missing);
  if (localhostProfile.trim() !== localhostProfile) {
    errors.invalid(field, localhostProfile, "must not be padded with whitespace");
  } else if (localhostProfile === "") errors.required(field, missing);
  if (byteLength(localhostProfile) > 4095) errors.tooLong(field, 4095);
};

/** What a container may do on its node. Upstream: ValidateSecurityContext. */
export function validateSecurityContext(
  context: SecurityContext,
  hostUsers: boolean,
  at: string,
  errors: FieldErrors,
): void {
  const { runAsUser, runAsGroup, procMount, privileged, allowPrivilegeEscalation, capabilities } = context;
  if (runAsUser !== undefined) account(runAsUser, `${at}.runAsUser`, errors);
  if (runAsGroup !== undefined) account(runAsGroup, `${at}.runAsGroup`, errors);
  if (procMount !== undefined) {
    oneOf("Default", "Unmasked")(procMount, `${at}.procMount`, errors);
    if (hostUsers && procMount === "Unmasked") {
      errors.invalid(`${at}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`");
    }
  }
  if (context.seccompProfile) seccompProfile(context.seccompProfile, `${at}.seccompProfile`, errors);
  if (allowPrivilegeEscalation === false) {
    const why = "cannot set `allowPrivilegeEscalation` to false and";
    if (privileged) errors.invalid(at, context, `${why} \`privileged\` to true`);
    for (const name of capabilities?.add ?? []) {
      if (name === "CAP_SYS_ADMIN") errors.invalid(at, context, `${why} \`capabilities.Add\` CAP_SYS_ADMIN`);
    }
  }
  if (context.windowsOptions) validateWindowsOptions(context.windowsOptions, `${at}.windowsOptions`, errors);
  if (context.appArmorProfile) appArmorProfile(context.appArmorProfile, `${at}.appArmorProfile`, errors);
}

const SYSCTL_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const SYSCTL = `^(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}$`;
const SYSCTL_PATTERN = new RegExp(SYSCTL);
const IPC_SYSCTLS = /^(kernel\.(sem|shm\w*|msg\w*)|fs\.mqueue\.)/;

function validateSysctls(sysctls: readonly { name?: string }[], spec: PodSpec, at: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { name = "" }] of sysctls.entries()) {
    const path = `${at}[${i}].name`;
    if (!name) errors.required(path);
    else if (name.length > 253 || !SYSCTL_PATTERN.test(name)) {
      errors.invalid(path, name, `must have at most 253 characters and match regex ${SYSCTL}`);
    } else if (seen.has(name)) errors.duplicate(path, name);
    const dotted = name.replaceAll("/", ".");
    if (spec.hostNetwork && dotted.startsWith("net.")) {
      errors.invalid(path, name, "may not be specified when 'hostNetwork' is true");
    } else if (spec.hostIPC && IPC_SYSCTLS.test(dotted)) {
      errors.invalid(path, name, "may not be specified when 'hostIPC' is true");
    }
    seen.add(name);
  }
}

const podOptions = fields<PodSecurityContext>({
  fsGroupChangePolicy: oneOf("Always", "OnRootMismatch"),
  seccompProfile,
  windowsOptions: validateWindowsOptions,
  appArmorProfile,
  supplementalGroupsPolicy: oneOf("Merge", "Strict"),
  seLinuxChangePolicy: oneOf("MountOption", "Recursive"),
});

const podAccounts = fields<PodSecurityContext>({
  fsGroup: account,
  runAsUser: account,
  runAsGroup: account,
  supplementalGroups: each(account),
});

/** What holds for all containers of a pod. Upstream: validatePodSpecSecurityContext. */
export function validatePodSecurityContext(
  context: PodSecurityContext,
  spec: PodSpec,
  at: string,
  errors: FieldErrors,
): void {
  podAccounts(context, at, errors);
  if (spec.shareProcessNamespace && spec.hostPID) {
    const why = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.invalid(`${at}.shareProcessNamespace`, spec.shareProcessNamespace, why);
  }
  if (context.sysctls?.length) validateSysctls(context.sysctls, spec, `${at}.sysctls`, errors);
  podOptions(context, at, errors);
}
