import type { PodSpec, WindowsSecurityContextOptions } from "../../../../api/mod.ts";
import { byteLength, type Check, type FieldErrors, fields } from "../../validation/mod.ts";
import { visitContainers } from "./visit.ts";

const LARGEST_CREDENTIAL_BYTES = 64 * 1024;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const DNS_NAME = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const USER = /^(?![. ]+$)[^"/\\:;|=,+*?<>@[\]]{1,104}$/;

/** `USER` or `DOMAIN\USER`. */
function isUserName(name: string): boolean {
  const [user, domain, ...more] = name.split("\\").reverse();
  // deno-lint-ignore no-control-regex -- these are what must not occur
  if (more.length > 0 || /[\x00-\x1f\x7f]/.test(name) || !USER.test(user)) return false;
  return domain === undefined || (domain.length < 256 && (NET_BIOS.test(domain) || DNS_NAME.test(domain)));
}

export const validateWindowsOptions: Check<WindowsSecurityContextOptions> = fields<WindowsSecurityContextOptions>({
  gmsaCredentialSpecName: "subdomain",
  gmsaCredentialSpec: (text, at, errors) => {
    const isRight = text !== "" && byteLength(text) <= LARGEST_CREDENTIAL_BYTES;
    if (!isRight) errors.invalid(at, text, "must not be empty or larger than 64 KiB");
  },
  runAsUserName: (name, at, errors) => {
    if (!isUserName(name)) errors.invalid(at, name, "must be a Windows user name, optionally with a domain");
  },
}, "core.v1.WindowsSecurityContextOptions");

/** Either all or no containers of a pod are host processes. Upstream: validateWindowsHostProcessPod. */
export function validateHostProcess(spec: PodSpec, at: string, errors: FieldErrors): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  visitContainers(spec, at, ({ securityContext }, path) => {
    containers++;
    const own = securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      errors.invalid(`${path}.securityContext.windowsOptions.hostProcess`, own, "must be the same as the pod's");
    }
    if (own ?? ofPod) hostProcesses++;
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) errors.invalid(at, "", "either all containers or none are of hostProcess");
  if (!spec.hostNetwork) errors.invalid(`${at}.hostNetwork`, false, "must be true for hostProcess");
}

const POD_CONTEXT = [
  ..."appArmorProfile seLinuxOptions seccompProfile fsGroup fsGroupChangePolicy sysctls runAsUser runAsGroup".split(
    " ",
  ),
  ..."supplementalGroups supplementalGroupsPolicy seLinuxChangePolicy".split(" "),
];
const CONTAINER_CONTEXT = [
  ..."appArmorProfile seLinuxOptions seccompProfile capabilities readOnlyRootFilesystem privileged".split(" "),
  ..."allowPrivilegeEscalation procMount runAsUser runAsGroup".split(" "),
];

/** Fields that a pod of the other operating system must not set. */
export function validateOperatingSystem(spec: PodSpec, at: string, errors: FieldErrors): void {
  if (!spec.os) return;
  const { name = "" } = spec.os;
  const forbid = (object: object | undefined, path: string, names: readonly string[]) => {
    for (const field of names) {
      const value = (object as Record<string, unknown> | undefined)?.[field];
      if (value !== undefined) errors.forbidden(`${path}.${field}`, `cannot be set for a ${name} pod`);
    }
  };
  if (!name) return errors.required(`${at}.os.name`);
  if (name !== "windows" && name !== "linux") return errors.notSupported(`${at}.os`, name, ["linux", "windows"]);
  const [ofPod, ofContainers] = name === "linux"
    ? [["windowsOptions"], ["windowsOptions"]]
    : [POD_CONTEXT, CONTAINER_CONTEXT];
  forbid(spec.securityContext, `${at}.securityContext`, ofPod);
  visitContainers(
    spec,
    at,
    ({ securityContext }, path) => forbid(securityContext, `${path}.securityContext`, ofContainers),
  );
  if (name === "linux") return;
  forbid({ ...spec, hostPID: spec.hostPID || undefined, hostIPC: spec.hostIPC || undefined }, at, [
    "hostUsers",
    "hostPID",
    "hostIPC",
    "shareProcessNamespace",
  ]);
}
