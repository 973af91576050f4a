import type { LifecycleHandler, Probe } from "../../../../api/mod.ts";
import { compareUtf8 } from "../../../../base/mod.ts";
import {
  type AnyContainer,
  type Check,
  containersOf,
  hasOwnUsers,
  named,
  plural,
  type PodLike,
  quoted,
  setters,
  sortedSet,
  type Violation,
  violation,
  whose,
} from "./check.ts";

const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
const CAPABILITIES = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

/** Allowed sysctls, and the first minor version that allows each. */
const SYSCTLS: Readonly<Record<string, number>> = {
  "kernel.shm_rmid_forced": 0,
  "net.ipv4.ip_local_port_range": 0,
  "net.ipv4.tcp_syncookies": 0,
  "net.ipv4.ping_group_range": 0,
  "net.ipv4.ip_unprivileged_port_start": 0,
  "net.ipv4.ip_local_reserved_ports": 27,
  "net.ipv4.tcp_keepalive_time": 29,
  "net.ipv4.tcp_fin_timeout": 29,
  "net.ipv4.tcp_keepalive_intvl": 29,
  "net.ipv4.tcp_keepalive_probes": 29,
  "net.ipv4.tcp_rmem": 32,
  "net.ipv4.tcp_wmem": 32,
};

export function isSafeProfile(type: string | undefined): boolean {
  return type === "RuntimeDefault" || type === "Localhost";
}

function appArmorProfile(pod: PodLike): Violation | undefined {
  const profileOf = (context: { appArmorProfile?: { type: string } } | undefined) => context?.appArmorProfile?.type;
  const isBad = (type: string | undefined) => type !== undefined && !isSafeProfile(type);
  const own = profileOf(pod.spec.securityContext);
  const containers = whose(pod, (context) => isBad(profileOf(context)));
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APP_ARMOR) && !/^($|runtime\/default$|localhost\/)/.test(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const who = [setters(isBad(own), containers), annotations.length > 0 ? plural("annotation", annotations.length) : ""]
    .filter((part) => part !== "").join(" and ");
  const types = [own, ...containers.map(({ securityContext }) => profileOf(securityContext))].filter(isBad);
  const values = [...sortedSet(types.map(String)), ...sortedSet(annotations)];
  const reason = plural("forbidden AppArmor profile", values.length);
  return violation(reason, who, `must not set AppArmor profile type to ${quoted(values)}`);
}

function capabilities(pod: PodLike): Violation | undefined {
  const added = (context: { capabilities?: { add?: string[] } } | undefined) =>
    context?.capabilities?.add?.filter((each) => !CAPABILITIES.includes(each)) ?? [];
  const containers = whose(pod, (context) => added(context).length > 0);
  const all = sortedSet(containers.flatMap(({ securityContext }) => added(securityContext)));
  const does = `must not include ${quoted(all)} in securityContext.capabilities.add`;
  return violation("non-default capabilities", named(containers), does);
}

function hostNamespaces({ spec }: PodLike): Violation | undefined {
  const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  if (used.length === 0) return undefined;
  return { reason: "host namespaces", detail: used.map((field) => `${field}=true`).join(", ") };
}

function hostPathVolumes({ spec }: PodLike): Violation | undefined {
  const volumes = spec.volumes?.filter(({ hostPath }) => hostPath) ?? [];
  if (volumes.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: named(volumes, "volume") };
}

function hostPorts(pod: PodLike): Violation | undefined {
  const portsOf = ({ ports = [] }: AnyContainer) => ports.flatMap(({ hostPort }) => hostPort ? [String(hostPort)] : []);
  const containers = containersOf(pod).filter((container) => portsOf(container).length > 0);
  const ports = sortedSet(containers.flatMap(portsOf));
  const verb = containers.length === 1 ? "uses" : "use";
  return violation("hostPort", named(containers), `${verb} ${plural("hostPort", ports.length)} ${ports.join(", ")}`);
}

function probeHosts(pod: PodLike): Violation | undefined {
  const hostsIn = (handler: Probe | LifecycleHandler | undefined) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host) => host !== undefined && host !== "").map(String);
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer) =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsIn);
  const containers = containersOf(pod).filter((container) => hostsOf(container).length > 0);
  const sorted = containers.toSorted((a, b) => compareUtf8(a.name, b.name));
  const hosts = sortedSet(containers.flatMap(hostsOf));
  const verb = containers.length === 1 ? "uses" : "use";
  const what = plural("probe or lifecycle host", hosts.length);
  return violation("probe or lifecycle host", named(sorted), `${verb} ${what} ${quoted(hosts)}`);
}

function privileged(pod: PodLike): Violation | undefined {
  const containers = whose(pod, (context) => context.privileged);
  return violation("privileged", named(containers), "must not set securityContext.privileged=true");
}

/** The restricted level has this rule too, and makes no exception for pods with their own user namespace. */
export function procMount(pod: PodLike): Violation | undefined {
  const containers = whose(pod, (context) => context.procMount !== undefined && context.procMount !== "Default");
  const types = sortedSet(containers.map(({ securityContext }) => securityContext?.procMount ?? ""));
  return violation("procMount", named(containers), `must not set securityContext.procMount to ${quoted(types)}`);
}

function seLinuxOptions(pod: PodLike, minor: number): Violation | undefined {
  const allowed = [
    "",
    "container_t",
    "container_init_t",
    "container_kvm_t",
    ...minor >= 31 ? ["container_engine_t"] : [],
  ];
  const isBad = ({ type = "", user, role }: SeLinux) => !allowed.includes(type) || Boolean(user) || Boolean(role);
  const own = pod.spec.securityContext?.seLinuxOptions;
  const containers = whose(pod, ({ seLinuxOptions }) => seLinuxOptions && isBad(seLinuxOptions));
  const who = setters(own !== undefined && isBad(own), containers);
  const options = [own, ...containers.map(({ securityContext }) => securityContext?.seLinuxOptions)];
  const types = sortedSet(options.flatMap((each) => each?.type && !allowed.includes(each.type) ? [each.type] : []));
  const what = types.length > 0 ? [`${plural("type", types.length)} ${quoted(types)}`] : [];
  if (options.some((each) => each?.user)) what.push("user may not be set");
  if (options.some((each) => each?.role)) what.push("role may not be set");
  return violation("seLinuxOptions", who, `set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`);
}

interface SeLinux {
  readonly type?: string;
  readonly user?: string;
  readonly role?: string;
}

/** A profile that allows too much; the restricted level also requires one. */
export function seccompProfile(pod: PodLike): Violation | undefined {
  const isBad = (profile: { type: string } | undefined) => profile !== undefined && !isSafeProfile(profile.type);
  const own = pod.spec.securityContext?.seccompProfile;
  const containers = whose(pod, (context) => isBad(context.seccompProfile));
  const who = setters(isBad(own), containers);
  const profiles = [own, ...containers.map(({ securityContext }) => securityContext?.seccompProfile)];
  const types = sortedSet(profiles.filter(isBad).map((profile) => profile?.type ?? ""));
  return violation("seccompProfile", who, `must not set securityContext.seccompProfile.type to ${quoted(types)}`);
}

function sysctls({ spec }: PodLike, minor: number): Violation | undefined {
  const names = spec.securityContext?.sysctls?.map(({ name }) => name) ?? [];
  const forbidden = names.filter((name) => !(Object.hasOwn(SYSCTLS, name) && SYSCTLS[name] <= minor));
  if (forbidden.length === 0) return undefined;
  return { reason: "forbidden sysctls", detail: forbidden.join(", ") };
}

function windowsHostProcess(pod: PodLike): Violation | undefined {
  const containers = whose(pod, (context) => context.windowsOptions?.hostProcess);
  const who = setters(pod.spec.securityContext?.windowsOptions?.hostProcess === true, containers);
  return violation("hostProcess", who, "must not set securityContext.windowsOptions.hostProcess=true");
}

/** The rules of the baseline level by name, in the order in which they are reported. */
export const BASELINE: Readonly<Record<string, Check>> = {
  appArmorProfile: { since: 0, find: appArmorProfile },
  capabilities_baseline: { since: 0, find: capabilities },
  hostNamespaces: { since: 0, find: hostNamespaces },
  hostPathVolumes: { since: 0, find: hostPathVolumes },
  hostPorts: { since: 0, find: hostPorts },
  hostProbesAndHostLifecycle: { since: 34, find: probeHosts },
  privileged: { since: 0, find: privileged },
  procMount: { since: 0, find: (pod, minor) => hasOwnUsers(pod, minor) ? undefined : procMount(pod) },
  seLinuxOptions: { since: 0, find: seLinuxOptions },
  seccompProfile_baseline: { since: 19, find: seccompProfile },
  sysctls: { since: 0, find: sysctls },
  windowsHostProcess: { since: 0, find: windowsHostProcess },
};
