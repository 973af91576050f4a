import type {
  Container,
  ContainerPort,
  EnvVar,
  KubeObject,
  Pod,
  PodAffinityTerm,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from "../../../../api/mod.ts";
import type { Stored } from "../../traits/mod.ts";
import { dnsLabel, quote, repetitions } from "../../validation/mod.ts";
import { claimWarnings, fractionWarning, NODE_LABELS, nodeTermWarnings } from "../shared/mod.ts";

/** The name of a pod or of its owner should be a DNS label, since it becomes a part of `what`. */
export function nameWarnings({ metadata }: Stored<KubeObject>, what: string): string[] {
  const problems = dnsLabel(metadata.name ?? "");
  if (problems.length === 0) return [];
  const why = `this is used in ${what}, which can result in surprising behavior; a DNS label is recommended`;
  return [`metadata.name: ${why}: [${problems.join(" ")}]`];
}

/** Warnings about likely mistakes in a new pod. Upstream: GetWarningsForPod in `pkg/api/pod/warnings.go`. */
export function podWarnings(pod: Stored<Pod>): string[] {
  const out = nameWarnings(pod, "the Pod's hostname");
  if (pod.spec) warn(pod.spec, "spec", out);
  return out;
}

/** Like {@link podWarnings}, for a template at `at`. */
export function templateWarnings(template: PodTemplateSpec | undefined, at: string): string[] {
  const out: string[] = [];
  if (template?.spec) warn(template.spec, `${at}.spec`, out);
  return out;
}

function warn(spec: PodSpec, at: string, out: string[]): void {
  warnOfPlacement(spec, at, out);
  if (spec.volumes) warnOfVolumes(spec.volumes, at, out);
  warnOfRepeated(spec, at, out);
  for (const name of ["memory", "ephemeral-storage"]) {
    out.push(...fractionWarning(spec.overhead?.[name], `${at}.overhead[${name}]`));
  }
  warnOfContainers(spec, at, out);
  warnOfPorts(spec, at, out);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const why = "must be >= 0; negative values are invalid and will be treated as 1";
    out.push(`${at}.terminationGracePeriodSeconds: ${why}`);
  }
  warnOfPodAffinity(spec, at, out);
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
    out.push(...nodeTermWarnings(term, `${at}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[${i}]`));
  }
  for (const [i, { preference = {} }] of (node?.[PREFERRED] ?? []).entries()) {
    out.push(...nodeTermWarnings(preference, `${at}.affinity.nodeAffinity.${PREFERRED}[${i}].preference`));
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

function warnOfVolumes(volumes: readonly Volume[], at: string, out: string[]): void {
  for (const [i, volume] of volumes.entries()) {
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    if (claim) out.push(...claimWarnings(claim, `${at}.volumes[${i}].ephemeral.volumeClaimTemplate.spec`));
    if (volume.projected?.sources?.some((source) => Object.values(source).every((value) => value === undefined))) {
      out.push(`volume ${quote(volume.name)} (Projected) has no sources provided`);
    }
  }
}

function warnOfRepeated({ imagePullSecrets = [] }: PodSpec, at: string, out: string[]): void {
  for (const i of repetitions(imagePullSecrets, ({ name = "" }) => name)) {
    out.push(`${at}.imagePullSecrets[${i}].name: duplicate name ${quote(imagePullSecrets[i].name ?? "")}`);
  }
  for (const [i, { name }] of imagePullSecrets.entries()) {
    if (!name) out.push(`${at}.imagePullSecrets[${i}].name: invalid empty name ""`);
  }
}

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Calls `visit` for each container of a pod with its path: init, regular and ephemeral ones. */
function visitContainers(spec: PodSpec, at: string, visit: (container: Container, path: string) => void): void {
  for (const list of LISTS) {
    for (const [i, container] of (spec[list] ?? []).entries()) visit(container, `${at}.${list}[${i}]`);
  }
}

function warnOfContainers(spec: PodSpec, at: string, out: string[]): void {
  visitContainers(spec, at, ({ resources, env }, path) => {
    for (const resource of ["memory", "ephemeral-storage"]) {
      for (const list of ["limits", "requests"] as const) {
        out.push(...fractionWarning(resources?.[list]?.[resource], `${path}.resources.${list}[${resource}]`));
      }
    }
    if (env && env.length > 1) warnOfHidden(env, path, out);
  });
}

function warnOfHidden(env: readonly EnvVar[], at: string, out: string[]): void {
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

function warnOfPorts(spec: PodSpec, at: string, out: string[]): void {
  const byNumber = new Map<string, { readonly at: string; readonly port: ContainerPort }[]>();
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
  return hostPort === 0 || otherPort === 0 ? "overlapping port definition" : undefined;
}
