import {
  type ContainerPort,
  type KeyToPath,
  type ObjectMeta,
  type Pod,
  type PodAffinityTerm,
  type PodSpec,
  type PodTemplateSpec,
  type Volume,
} from "../../../../api/mod.ts";
import type { Stored } from "../../traits/mod.ts";
import { dnsLabel, quote } from "../../validation/mod.ts";
import { addressWarnings, claimWarnings, fractionWarning, NODE_LABELS, nodeTermWarnings } from "../shared/mod.ts";
import { APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD } from "./annotations.ts";
import { visitContainers } from "./visit.ts";

/** Warnings about likely mistakes in a new pod. Upstream: GetWarningsForPod in `pkg/api/pod/warnings.go`. */
export function podWarnings({ metadata, spec }: Stored<Pod>): string[] {
  const problems = dnsLabel(metadata.name ?? "");
  const out = problems.length === 0 ? [] : [
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: " +
    `[${problems.join(" ")}]`,
  ];
  if (spec) warn(spec, metadata, "", out);
  return out;
}

/** Like {@link podWarnings}, for a template at `at`. */
export function templateWarnings(template: PodTemplateSpec | undefined, at: string): string[] {
  const out: string[] = [];
  if (template?.spec) warn(template.spec, template.metadata ?? {}, `${at}.`, out);
  return out;
}

function warn(spec: PodSpec, { annotations }: ObjectMeta, prefix: string, out: string[]): void {
  const at = `${prefix}spec`;
  warnOfPlacement(spec, at, out);
  if (annotations) warnOfAnnotations(annotations, prefix, out);
  if (spec.volumes) warnOfVolumes(spec.volumes, at, out);
  warnOfRepeated(spec, at, out);
  for (const name of ["memory", "ephemeral-storage"]) {
    out.push(...fractionWarning(spec.overhead?.[name], `${at}.overhead[${name}]`));
  }
  if (annotations && !spec.securityContext?.seccompProfile && SECCOMP_POD in annotations) {
    out.push(`${prefix}metadata.annotations[${SECCOMP_POD}]: ${NO_SECCOMP}`);
  }
  warnOfContainers(spec, annotations ?? {}, { prefix, at }, out);
  warnOfPorts(spec, at, out);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const why = "must be >= 0; negative values are invalid and will be treated as 1";
    out.push(`${at}.terminationGracePeriodSeconds: ${why}`);
  }
  warnOfPodAffinity(spec, at, out);
  for (const [i, address] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    out.push(...addressWarnings(address, `${at}.dnsConfig.nameservers[${i}]`));
  }
  for (const [i, { ip = "" }] of (spec.hostAliases ?? []).entries()) {
    out.push(...addressWarnings(ip, `${at}.hostAliases[${i}].ip`));
  }
}

const NULL_SELECTOR = "a null labelSelector results in matching no pod";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

function warnOfPlacement(
  { nodeSelector, affinity, topologySpreadConstraints }: PodSpec,
  at: string,
  out: string[],
): void {
  for (const key in nodeSelector) if (NODE_LABELS[key]) out.push(`${at}.nodeSelector[${key}]: ${NODE_LABELS[key]}`);
  const node = affinity?.nodeAffinity;
  for (const [i, term] of (node?.[REQUIRED]?.nodeSelectorTerms ?? []).entries()) {
    out.push(...nodeTermWarnings(term, false, `${at}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[${i}]`));
  }
  for (const [i, { preference = {} }] of (node?.[PREFERRED] ?? []).entries()) {
    out.push(...nodeTermWarnings(preference, true, `${at}.affinity.nodeAffinity.${PREFERRED}[${i}].preference`));
  }
  for (const [i, { topologyKey = "", labelSelector }] of (topologySpreadConstraints ?? []).entries()) {
    const path = `${at}.topologySpreadConstraints[${i}]`;
    if (NODE_LABELS[topologyKey]) out.push(`${path}.topologyKey: ${topologyKey} is ${NODE_LABELS[topologyKey]}`);
    if (!labelSelector) out.push(`${path}.labelSelector: ${NULL_SELECTOR}`);
  }
}

function warnOfPodAffinity({ affinity }: PodSpec, at: string, out: string[]): void {
  if (!affinity) return;
  const check = ({ labelSelector }: PodAffinityTerm, path: string) => {
    if (!labelSelector) out.push(`${path}.labelSelector: ${NULL_SELECTOR}`);
  };
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    const path = `${at}.affinity.${kind}`;
    for (const [i, term] of (affinity[kind]?.[REQUIRED] ?? []).entries()) check(term, `${path}.${REQUIRED}[${i}]`);
    for (const [i, { podAffinityTerm }] of (affinity[kind]?.[PREFERRED] ?? []).entries()) {
      check(podAffinityTerm, `${path}.${PREFERRED}[${i}].podAffinityTerm`);
    }
  }
}

const NO_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

type Annotations = Readonly<Record<string, string>>;

function warnOfAnnotations(annotations: Annotations, prefix: string, out: string[]): void {
  for (const key in OLD_ANNOTATIONS) {
    if (key in annotations) out.push(`${prefix}metadata.annotations[${key}]: ${OLD_ANNOTATIONS[key]}`);
  }
}

const OLD_VOLUMES: ReadonlyArray<readonly [source: keyof Volume, written: string, why: string]> = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function warnOfVolumes(volumes: readonly Volume[], at: string, out: string[]): void {
  for (const [i, volume] of volumes.entries()) {
    for (const [source, written, why] of OLD_VOLUMES) {
      if (volume[source] !== undefined) out.push(`${at}.volumes[${i}].${written}: ${why}`);
    }
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    if (claim) out.push(...claimWarnings(claim, `${at}.volumes[${i}].ephemeral.volumeClaimTemplate.spec`));
  }
  for (const volume of volumes) warnOfOverlaps(volume, out);
}

/** A file in a volume, and its source. */
interface Mapped {
  readonly path: string;
  readonly source: string;
}

function mapped(items: readonly Pick<KeyToPath, "path">[] | undefined, source: string): Mapped[] {
  return (items ?? []).map(({ path = "" }) => ({ path: path.replace(/(?<!\/)\/+$/, ""), source }));
}

function warnOfOverlaps({ name, configMap, secret, downwardAPI, projected }: Volume, out: string[]): void {
  const report = (what: string, files: readonly Mapped[]) => {
    for (const text of overlaps(files)) out.push(`volume ${quote(name)} (${what}): overlapping paths: ${text}`);
  };
  if (configMap?.items) report(`ConfigMap ${quote(configMap.name ?? "")}`, mapped(configMap.items, ""));
  if (secret?.items) report(`Secret ${quote(secret.secretName ?? "")}`, mapped(secret.items, ""));
  if (downwardAPI?.items) report("DownwardAPI", mapped(downwardAPI.items, ""));
  if (!projected) return;
  const files: Mapped[] = [];
  for (const source of projected.sources ?? []) {
    if (Object.values(source).every((value) => value === undefined)) {
      out.push(`volume ${quote(name)} (Projected) has no sources provided`);
    } else if (source.configMap) {
      files.push(...mapped(source.configMap.items, `ConfigMap ${quote(source.configMap.name ?? "")}`));
    } else if (source.secret) files.push(...mapped(source.secret.items, `Secret ${quote(source.secret.name ?? "")}`));
    else if (source.downwardAPI) files.push(...mapped(source.downwardAPI.items, "DownwardAPI"));
    else if (source.serviceAccountToken) files.push(...mapped([source.serviceAccountToken], "ServiceAccountToken"));
  }
  report("Projected", files);
}

function overlaps(files: readonly Mapped[]): string[] {
  const show = ({ path, source }: Mapped) => source ? `${quote(path)} (${source})` : quote(path);
  return files.flatMap((file, i) =>
    files.slice(0, i)
      .filter(({ path }) => path && file.path)
      .filter(({ path }) => `${path}/`.startsWith(`${file.path}/`) || `${file.path}/`.startsWith(`${path}/`))
      .map((other) => `${show(file)} with ${show(other)}`)
  );
}

function warnOfRepeated({ hostAliases = [], imagePullSecrets = [] }: PodSpec, at: string, out: string[]): void {
  for (const [i, { ip = "" }] of hostAliases.entries()) {
    if (hostAliases.slice(0, i).some((other) => other.ip === ip)) {
      out.push(`${at}.hostAliases[${i}].ip: duplicate ip ${quote(ip)}`);
    }
  }
  for (const [i, { name = "" }] of imagePullSecrets.entries()) {
    if (imagePullSecrets.slice(0, i).some((other) => (other.name ?? "") === name)) {
      out.push(`${at}.imagePullSecrets[${i}].name: duplicate name ${quote(name)}`);
    }
  }
  for (const [i, { name }] of imagePullSecrets.entries()) {
    if (!name) out.push(`${at}.imagePullSecrets[${i}].name: invalid empty name ""`);
  }
}

function warnOfContainers(
  spec: PodSpec,
  annotations: Annotations,
  { prefix, at }: { readonly prefix: string; readonly at: string },
  out: string[],
): void {
  visitContainers(spec, at, ({ name, securityContext, resources, env }, path) => {
    if (!securityContext?.seccompProfile && `${SECCOMP_CONTAINER}${name}` in annotations) {
      out.push(`${prefix}metadata.annotations[${SECCOMP_CONTAINER}${name}]: ${NO_SECCOMP}`);
    }
    if (prefix && !securityContext?.appArmorProfile && `${APP_ARMOR}${name}` in annotations) {
      const why = 'deprecated since v1.30; use the "appArmorProfile" field instead';
      out.push(`${prefix}metadata.annotations[${APP_ARMOR}${name}]: ${why}`);
    }
    for (const resource of ["memory", "ephemeral-storage"]) {
      for (const list of ["limits", "requests"] as const) {
        out.push(...fractionWarning(resources?.[list]?.[resource], `${path}.resources.${list}[${resource}]`));
      }
    }
    if (env && env.length > 1) warnOfHidden(env, path, out);
  });
}

function warnOfHidden(
  env: readonly { readonly name?: string; readonly value?: string; readonly valueFrom?: unknown }[],
  at: string,
  out: string[],
): void {
  const seen = new Set<string>();
  for (const [i, { name = "", value = "", valueFrom }] of env.entries()) {
    if (seen.has(name)) {
      const own = `$(${name})`;
      if (valueFrom !== undefined || value === own || !value.includes(own)) {
        const why = `hides previous definition of ${quote(name)}, which may be dropped when using apply`;
        out.push(`${at}.env[${i}]: ${why}`);
      }
    }
    seen.add(name);
  }
}

interface Placed {
  readonly at: string;
  readonly port: ContainerPort;
}

function warnOfPorts(spec: PodSpec, at: string, out: string[]): void {
  const byNumber = new Map<string, Placed[]>();
  const byName = new Map<string, string>();
  const named: string[] = [];
  visitContainers(spec, at, ({ ports }, path) => {
    for (const [i, port] of (ports ?? []).entries()) {
      const place = `${path}.ports[${i}]`;
      const key = `${port.containerPort}/${port.protocol}`;
      const others = byNumber.get(key) ?? [];
      for (const other of others) {
        const why = portTrouble(port, other.port);
        if (why) out.push(`${place}: ${why} with ${other.at}`);
      }
      byNumber.set(key, [...others, { at: place, port }]);
      if (!port.name) continue;
      const other = byName.get(port.name);
      if (other === undefined) byName.set(port.name, place);
      else {
        const why = `services and probes that select ports by name will use ${other}`;
        named.push(`${place}: duplicate port name ${quote(port.name)} with ${other}, ${why}`);
      }
    }
  });
  out.push(...named);
}

function portTrouble(port: ContainerPort, other: ContainerPort): string | undefined {
  const { hostIP = "", hostPort = 0 } = port;
  const { hostIP: otherIP = "", hostPort: otherPort = 0 } = other;
  if (hostIP === otherIP && hostPort === otherPort) return "duplicate port definition";
  if (hostPort === 0 || otherPort === 0) return "overlapping port definition";
  const isAmbiguous = hostPort === otherPort && (hostIP === "") !== (otherIP === "");
  return isAmbiguous ? "dangerously ambiguous port definition" : undefined;
}
