import type { Container, PodSpec, WindowsSecurityContextOptions } from "../../../../api/mod.ts";
import { byteLength, type Check, dnsSubdomain, type FieldErrors } from "../../validation/mod.ts";
import { visitContainers } from "./visit.ts";

const LARGEST_CREDENTIAL_BYTES = 64 * 1024;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const DNS_NAME = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);

function userNameProblems(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  // deno-lint-ignore no-control-regex -- these are what must not occur
  if (/[\x00-\x1f\x7f]/.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const [domain, user] = parts.length === 1 ? ["", parts[0]] : parts;
  const problems: string[] = [];
  if (domain.length >= 256) problems.push("runAsUserName's Domain length must be under 256 characters");
  if (parts.length === 2 && !NET_BIOS.test(domain) && !DNS_NAME.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (user.length > 104) problems.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
  return problems;
}

export const validateWindowsOptions: Check<WindowsSecurityContextOptions> = (options, at, errors) => {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined) {
    errors.invalidFor(`${at}.gmsaCredentialSpecName`, gmsaCredentialSpecName, dnsSubdomain(gmsaCredentialSpecName));
  }
  if (gmsaCredentialSpec !== undefined) {
    const field = `${at}.gmsaCredentialSpec`;
    if (gmsaCredentialSpec === "") {
      errors.invalid(field, gmsaCredentialSpec, "gmsaCredentialSpec cannot be an empty string");
    } else if (byteLength(gmsaCredentialSpec) > LARGEST_CREDENTIAL_BYTES) {
      errors.invalid(field, gmsaCredentialSpec, "gmsaCredentialSpec size must be under 64 KiB");
    }
  }
  if (runAsUserName !== undefined) {
    errors.invalidFor(`${at}.runAsUserName`, runAsUserName, userNameProblems(runAsUserName));
  }
};

/** Either all containers of a pod are processes of the host or none is. Upstream: validateWindowsHostProcessPod. */
export function validateHostProcess(spec: PodSpec, at: string, errors: FieldErrors): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  visitContainers(spec, at, (container, path) => {
    containers++;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.invalid(`${path}.securityContext.windowsOptions.hostProcess`, own, why);
    }
    if (own ?? ofPod) hostProcesses++;
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    const why = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.invalid(at, "", why);
  }
  if (!spec.hostNetwork) {
    const why = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.invalid(`${at}.hostNetwork`, false, why);
  }
}

const NOT_ON_WINDOWS = "cannot be set for a windows pod";
const POD_SECURITY_BEFORE = ["appArmorProfile", "seLinuxOptions"] as const;
const POD_SECURITY_BETWEEN = ["seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"] as const;
const POD_SECURITY_AFTER = [
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;
const CONTAINER_SECURITY = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

/** What a pod for the one operating system may not say. */
export function validateOperatingSystem(spec: PodSpec, at: string, errors: FieldErrors): void {
  const name = spec.os?.name ?? "";
  if (!spec.os) return;
  if (!name) return errors.required(`${at}.os.name`);
  if (name === "windows") return validateForWindows(spec, at, errors);
  if (name !== "linux") return errors.notSupported(`${at}.os`, name, ["linux", "windows"]);
  const why = "windows options cannot be set for a linux pod";
  if (spec.securityContext?.windowsOptions) errors.forbidden(`${at}.securityContext.windowsOptions`, why);
  visitContainers(spec, at, ({ securityContext }, path) => {
    if (securityContext?.windowsOptions) errors.forbidden(`${path}.securityContext.windowsOptions`, why);
  });
}

function validateForWindows(spec: PodSpec, at: string, errors: FieldErrors): void {
  const context = spec.securityContext ?? {};
  const forbid = (field: string) => errors.forbidden(`${at}.${field}`, NOT_ON_WINDOWS);
  const forbidContext = (names: readonly (keyof typeof context)[]) => {
    for (const name of names) if (context[name] !== undefined) forbid(`securityContext.${name}`);
  };
  forbidContext(POD_SECURITY_BEFORE);
  if (spec.hostUsers !== undefined) forbid("hostUsers");
  if (spec.hostPID) forbid("hostPID");
  if (spec.hostIPC) forbid("hostIPC");
  forbidContext(POD_SECURITY_BETWEEN);
  if (spec.shareProcessNamespace !== undefined) forbid("shareProcessNamespace");
  forbidContext(POD_SECURITY_AFTER);
  visitContainers(spec, at, ({ securityContext }: Container, path) => {
    for (const name of CONTAINER_SECURITY) {
      if (securityContext?.[name] !== undefined) errors.forbidden(`${path}.securityContext.${name}`, NOT_ON_WINDOWS);
    }
  });
}
